// Plugins that every bundle with the dashboard needs.
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'rolldown';
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

/** Plugins for the dashboard, and for its parts of Ink. */
export const dashboardPlugins: readonly Plugin[] = [quickInk, quietInk, yogaAtOnce];

/** Constants of the bundle: the production build of React in any environment, without Ink's developer tools. */
export const dashboardDefine = { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' };
