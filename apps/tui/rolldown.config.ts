// The dashboard as one file for what is needed at once and one for the screens: loading hundreds of modules takes longer
// than running them. What tsc has put beside it stays for the bench, which measures the same modules without all this.
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'rolldown';

const source = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url));
const QUICK_WIDTH = source('text/quick-width.ts');
const CELL_OUTPUT = source('terminal/ink-output.ts');

/** Everybody who asks `string-width`, Ink above all, asks ours first; Ink draws into cells instead of a string. */
const quickInk: Plugin = {
  name: 'quick-ink',
  resolveId(name, importer) {
    if (name === 'string-width' && importer !== QUICK_WIDTH) return QUICK_WIDTH;
    return name === './output.js' && importer?.endsWith('/ink/build/renderer.js') === true ? CELL_OUTPUT : null;
  },
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
  plugins: [quickInk],
  // The production build of React, whatever the user's environment says, and nothing of Ink's for its developers.
  transform: { define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' } },
  external: ['react-devtools-core'],
});
