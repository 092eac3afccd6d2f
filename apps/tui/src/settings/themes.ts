// Themes of the user: files with colours for the names of a palette. What a file leaves out comes from a built-in one.
import type { TableProblem } from '../profiles/profile.ts';
import { DARK, LIGHT, type Palette } from '../theme/palettes.ts';
import { THEMES } from '../theme/theme.ts';

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
