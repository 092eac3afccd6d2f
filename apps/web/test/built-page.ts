// The folder of the built page, of the sources as they are now.
import { execFile } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { newFolder } from '../../../test/new-folder.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const DIST = `${ROOT}dist/`;
/** Files that the page is built from. */
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
    // A process of its own: that of the tests would bundle the development build of React.
    const args = ['build', '--logLevel', 'error', '--outDir', folder, '--emptyOutDir', 'false'];
    await promisify(execFile)(`${ROOT}node_modules/.bin/vite`, args, {
      cwd: ROOT,
      env: { ...process.env, NODE_ENV: 'production' },
    });
    return folder;
  })();
  return made;
}
