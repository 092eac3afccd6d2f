// Folders of the files that the dashboard and the command line share, and ways to read and write them safely.
import { mkdirSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readSmallFile } from '@quarterdeck/core/small-file';
import envPaths from 'env-paths';

export interface Folders {
  readonly config: string;
  readonly state: string;
}

/** Returns the folders of this system: the XDG ones on Linux. */
export function defaultFolders(): Folders {
  const paths = envPaths('quarterdeck', { suffix: '' });
  return { config: paths.config, state: paths.log };
}

/** Path of the settings. */
export const configPath = (folders: Folders): string => join(folders.config, 'config.toml');
/** Path of the state that is kept between runs. */
export const statePath = (folders: Folders): string => join(folders.state, 'state.json');

/** Reads a file; null if it is missing or not readable. */
export function readText(path: string): string | null {
  try {
    return readSmallFile(path);
  } catch {
    return null;
  }
}

/** Renames a damaged file, so that writing a new one destroys nothing. */
export function putAside(path: string): void {
  try {
    renameSync(path, `${path}.damaged`);
  } catch {
    // If renaming fails, the next write overwrites the file.
  }
}

/** The file behind symbolic links, which people use to keep their settings elsewhere. */
function behindLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Writes a file atomically; by default only its owner can read it. Returns whether it succeeded. */
export function writeAtomically(path: string, text: string, mode = 0o600): boolean {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const target = behindLinks(path);
    const fresh = `${target}.${process.pid}.new`;
    writeFileSync(fresh, text, { mode });
    renameSync(fresh, target);
    return true;
  } catch {
    return false;
  }
}
