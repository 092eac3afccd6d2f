// The dashboard as one file for what is needed at once and one for the screens: loading hundreds of modules takes longer
// than running them. What tsc has put beside it stays for the bench, which measures the same modules without all this.
import { defineConfig } from 'rolldown';

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
  // The production build of React, whatever the user's environment says, and nothing of Ink's for its developers.
  transform: { define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' } },
  external: ['react-devtools-core'],
});
