// The dashboard as one file for what is needed at once and one for the screens: loading hundreds of modules takes longer
// than running them. What tsc has put beside it stays for the bench, which measures the same modules without all this.
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'rolldown';

const QUICK_WIDTH = fileURLToPath(new URL('src/text/quick-width.ts', import.meta.url));

/** Everybody who asks `string-width`, Ink above all, asks ours first. */
const quickWidth: Plugin = {
  name: 'quick-width',
  resolveId: (source, importer) => (source === 'string-width' && importer !== QUICK_WIDTH ? QUICK_WIDTH : null),
};

export default defineConfig({
  input: 'src/main.ts',
  platform: 'node',
  output: {
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    sourcemap: true,
  },
  plugins: [quickWidth],
  // The production build of React, whatever the user's environment says, and nothing of Ink's for its developers.
  transform: { define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' } },
  external: ['react-devtools-core'],
});
