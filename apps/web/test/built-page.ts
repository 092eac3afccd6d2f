// The folder of the built page, of the sources as they are now.
import { globSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { newFolder } from '../../../test/new-folder.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const DIST = `${ROOT}dist/`;
/** What the page is built from. */
const SOURCES = [
  `${ROOT}{src,build}/**/*.{ts,tsx,css}`,
  `${ROOT}*.{html,ts}`,
  `${ROOT}../../packages/{core,sdk}/src/**/*.ts`,
];

const changedMs = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

let made: Promise<string> | undefined;

/** Returns the folder of the last build, or builds the page where its sources are newer. */
export function builtPage(): Promise<string> {
  made ??= (async () => {
    const builtMs = changedMs(`${DIST}index.html`);
    if (builtMs > Math.max(...globSync(SOURCES).map(changedMs))) return DIST;
    const folder = newFolder();
    await build({ root: ROOT, logLevel: 'error', build: { outDir: folder, emptyOutDir: false } });
    return folder;
  })();
  return made;
}
