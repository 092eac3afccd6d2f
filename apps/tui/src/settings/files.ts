// The two files of the dashboard: config.toml in the folder for settings, state.json in the one for state. Both may be
// damaged, missing, or in a folder that cannot be written: then there are defaults, and the damaged one is kept aside.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import envPaths from 'env-paths';
import { parse, stringify } from 'smol-toml';
import { DEFAULTS, type ReadSettings, readSettings, type Settings, settingsTable } from './settings.ts';

/** Where the files are. */
export interface Folders {
  readonly config: string;
  readonly state: string;
}

/** The usual folders of this system: the XDG ones on Linux. */
export function defaultFolders(): Folders {
  const paths = envPaths('quarterdeck', { suffix: '' });
  return { config: paths.config, state: paths.log };
}

/** Path of the settings. */
export const configPath = (folders: Folders): string => join(folders.config, 'config.toml');
/** Path of what is kept between runs. */
export const statePath = (folders: Folders): string => join(folders.state, 'state.json');

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Puts a file aside that cannot be read, so that writing a new one destroys nothing. */
function putAside(path: string): void {
  try {
    renameSync(path, `${path}.damaged`);
  } catch {
    // Then it is overwritten by the next write, or not, if the folder cannot be written.
  }
}

/** Writes whole or not at all; only the owner may read it. Says whether it worked. */
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
    // The parser's message quotes the line; only where it is is told.
    const line = (error as { line?: unknown }).line;
    const where = typeof line === 'number' ? ` (line ${line})` : '';
    return { settings: DEFAULTS, problems: [`config.toml is not TOML${where}; defaults are used`] };
  }
}

/** Writes config.toml. A damaged one is put aside first. */
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

/** Reads state.json; null where there is none that can be read. */
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
