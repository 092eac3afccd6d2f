// Files of the dashboard: config.toml in the configuration folder, state.json in the state folder. Each may be damaged,
// missing or not writable; then defaults apply, and a damaged file is renamed.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import envPaths from 'env-paths';
import { parse, stringify } from 'smol-toml';
import { DEFAULTS, type ReadSettings, readSettings, type Settings, settingsTable } from './settings.ts';

/** Folders of the files. */
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

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Renames a damaged file, so that writing a new one destroys nothing. */
function putAside(path: string): void {
  try {
    renameSync(path, `${path}.damaged`);
  } catch {
    // If renaming fails, the next write overwrites the file.
  }
}

/** Writes a file atomically; only its owner can read it. Returns whether it succeeded. */
export function writeAtomically(path: string, text: string): boolean {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const fresh = `${path}.${process.pid}.new`;
    writeFileSync(fresh, text, { mode: 0o600 });
    renameSync(fresh, path);
    return true;
  } catch {
    return false;
  }
}

/** Reads config.toml. */
export function loadSettings(folders: Folders): ReadSettings {
  const text = readText(configPath(folders));
  if (text === null) return { settings: DEFAULTS, problems: [] };
  try {
    return readSettings(parse(text));
  } catch (error) {
    // The parser's message quotes the line, so only the position is reported.
    const line = (error as { line?: unknown }).line;
    const where = typeof line === 'number' ? ` (line ${line})` : '';
    return { settings: DEFAULTS, problems: [`config.toml is not valid TOML${where}; using defaults`] };
  }
}

/** Writes config.toml. Renames a damaged one first. */
export function saveSettings(folders: Folders, settings: Settings): boolean {
  const path = configPath(folders);
  const text = readText(path);
  if (text !== null) {
    try {
      parse(text);
    } catch {
      putAside(path);
    }
  }
  return writeAtomically(path, `${stringify(settingsTable(settings))}\n`);
}

/** Reads state.json; null if it is missing or damaged. */
export function loadState(folders: Folders): unknown {
  const path = statePath(folders);
  const text = readText(path);
  if (text === null) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    putAside(path);
    return null;
  }
}
