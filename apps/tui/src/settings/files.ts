// Files of the dashboard: config.toml and themes in the configuration folder, state.json in the state folder. Each may
// be damaged, missing or not writable; then defaults apply. A damaged file is renamed before it is written.

import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { changeConfig, type Written } from '../profiles/config-file.ts';
import { type Folders, putAside, readText, statePath } from '../profiles/files.ts';
import type { TableProblem } from '../profiles/profile.ts';
import { type Position, positionOf } from '../profiles/toml-nodes.ts';
import { DARK, LIGHT, type Palette } from '../theme/palettes.ts';
import { THEMES } from '../theme/theme.ts';
import { changeSettings, DEFAULTS, readSettings, type Settings } from './settings.ts';

/** Palettes that a theme can be based on. */
const BASES: Readonly<Record<string, Palette>> = { dark: DARK, light: LIGHT };

/** Key in the file -> name in the palette: `on_badge` -> `onBadge`. */
const COLOR_KEYS: ReadonlyMap<string, keyof Palette> = new Map(
  (Object.keys(DARK) as (keyof Palette)[]).map((name) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    name,
  ]),
);

/** A theme that was read, and the problems found. */
interface ReadTheme {
  readonly palette: Palette;
  readonly problems: readonly TableProblem[];
}

/** Returns the problem with the name of a theme file; null if there is none. */
export function themeNameProblem(name: string): string | null {
  if ((THEMES as readonly string[]).includes(name)) return `${name} is the name of a built-in theme`;
  return /^[\w.-]{1,40}$/.test(name) ? null : 'the name of a theme has letters, digits, dots, dashes and underscores';
}

/** Reads a parsed theme file. */
export function readTheme(table: Readonly<Record<string, unknown>>): ReadTheme {
  const problems: TableProblem[] = [];
  const { based_on: base = 'dark', ...colors } = table;
  const known = typeof base === 'string' && Object.hasOwn(BASES, base) ? BASES[base] : undefined;
  if (known === undefined) {
    problems.push({ path: ['based_on'], text: `based_on must be one of ${Object.keys(BASES).join(', ')}` });
  }
  const own: Partial<Record<string, string>> = {};
  for (const [key, value] of Object.entries(colors)) {
    const name = COLOR_KEYS.get(key);
    if (name === undefined) problems.push({ path: [key], text: `unknown key ${key.slice(0, 60)}` });
    else if (typeof value === 'string' && /^#[\da-f]{6}$/i.test(value)) own[name] = value;
    else problems.push({ path: [key], text: `${key} must be a colour such as "#6cb6ff"` });
  }
  return { palette: { ...(known ?? DARK), ...own }, problems };
}

/** The settings of the files, and a sentence for each problem. */
export interface LoadedSettings {
  readonly settings: Settings;
  /** The user's themes by name. */
  readonly themes: ReadonlyMap<string, Palette>;
  readonly problems: readonly string[];
}

const at = (file: string, position: Position | null): string =>
  position === null ? file : `${file}, line ${position.line}, column ${position.column}`;

/** Reads a file. Returns null for a missing or damaged one, and adds a sentence for each problem. */
function readToml<T extends { readonly problems: readonly TableProblem[] }>(
  folder: string,
  file: string,
  read: (table: Readonly<Record<string, unknown>>) => T,
  problems: string[],
): T | null {
  const text = readText(join(folder, file));
  if (text === null) return null;
  try {
    const result = read(parse(text));
    const found = result.problems.map((problem) => ({ ...problem, position: positionOf(text, problem.path) }));
    found.sort((a, b) => (a.position?.line ?? 0) - (b.position?.line ?? 0));
    for (const { position, text: problem } of found) {
      problems.push(`${at(file, position)}: ${problem.replace(/[.]$/, '')}.`);
    }
    return result;
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The parser's message quotes the line, so only the position is reported.
    problems.push(`${at(file, error)}: not valid TOML. The defaults apply.`);
    return null;
  }
}

const THEMES_MAX = 100;

function themeFiles(folders: Folders): string[] {
  try {
    const names = readdirSync(join(folders.config, 'themes')).filter((name) => name.endsWith('.toml'));
    return names.sort().slice(0, THEMES_MAX);
  } catch {
    return [];
  }
}

function loadThemes(folders: Folders, problems: string[]): ReadonlyMap<string, Palette> {
  const themes = new Map<string, Palette>();
  for (const file of themeFiles(folders)) {
    const name = basename(file, '.toml');
    const wrongName = themeNameProblem(name);
    const theme = wrongName === null ? readToml(folders.config, join('themes', file), readTheme, problems) : null;
    if (wrongName !== null) problems.push(`${join('themes', file)}: ${wrongName}.`);
    if (theme !== null) themes.set(name, theme.palette);
  }
  return themes;
}

/** Reads config.toml and the themes. */
export function loadSettings(folders: Folders): LoadedSettings {
  const problems: string[] = [];
  const themes = loadThemes(folders, problems);
  const names = [...themes.keys()];
  const read = readToml(folders.config, 'config.toml', (table) => readSettings(table, names), problems);
  return { settings: read?.settings ?? DEFAULTS, themes, problems };
}

/** Writes the settings that differ from `before`; the rest of the file stays as it is. */
export const saveSettings = (folders: Folders, settings: Settings, before = DEFAULTS): Written =>
  changeConfig(folders, (table) => changeSettings(table, before, settings));

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
