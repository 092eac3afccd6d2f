// Bundles the dashboard: one file for the first frame, and chunks for the rest. Loading hundreds of modules takes
// longer than running them. The output of tsc stays beside it for the bench, which measures the modules unbundled.
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'rolldown';
import { quietInk } from './src/terminal/quiet-ink.ts';

const source = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url));
const QUICK_WIDTH = source('text/quick-width.ts');
const CELL_OUTPUT = source('terminal/ink-output.ts');

/**
 * Decodes the layout engine's WebAssembly directly. The engine would `fetch` it from a data URL, which starts the whole
 * HTTP client before anything is drawn.
 */
const yogaAtOnce: Plugin = {
  name: 'yoga-at-once',
  transform: (code, id) =>
    id.endsWith('/yoga-wasm-base64-esm.js') ? code.replaceAll('"function"!=typeof fetch', 'true') : null,
};

/** Replaces `string-width` everywhere, and the output of Ink, which then draws into cells instead of a string. */
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
    // Keeps names for crash reports. Less text compiles faster.
    minify: { compress: true, mangle: false },
  },
  plugins: [quickInk, quietInk, yogaAtOnce],
  // The production build of React in any environment, without Ink's developer tools.
  transform: { define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' } },
  external: ['react-devtools-core'],
});
