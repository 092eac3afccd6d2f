// The dashboard as one file for what is needed at once and one for the screens: loading hundreds of modules takes longer
// than running them. What tsc has put beside it stays for the bench, which measures the same modules without all this.
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'rolldown';
import { quietInk } from './src/terminal/quiet-ink.ts';

const source = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url));
const QUICK_WIDTH = source('text/quick-width.ts');
const CELL_OUTPUT = source('terminal/ink-output.ts');

/**
 * The layout engine has its WebAssembly in a string, and fetches it from there: that starts the whole HTTP client, and
 * waits for it, before anything can be drawn. Without `fetch` it takes the string as it is.
 */
const yogaAtOnce: Plugin = {
  name: 'yoga-at-once',
  transform: (code, id) =>
    id.endsWith('/yoga-wasm-base64-esm.js') ? code.replaceAll('"function"!=typeof fetch', 'true') : null,
};

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
    // Names stay: a crash should say where it was. Less to read is quicker to compile.
    minify: { compress: true, mangle: false },
  },
  plugins: [quickInk, quietInk, yogaAtOnce],
  // The production build of React, whatever the user's environment says, and nothing of Ink's for its developers.
  transform: { define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' } },
  external: ['react-devtools-core'],
});
