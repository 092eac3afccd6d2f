// Settings of config.toml. Invalid entries are ignored and reported, never fatal.

import { ZONES, type Zone } from '@quarterdeck/views/text';
import { COMMAND_NAMES, type Rebound } from '../keys/keymap.ts';
import { changeProfiles, type Profile, profileProblems, readProfile, type TableProblem } from '../profiles/profile.ts';
import { CHARTS, type ChartGlyphs } from '../theme/glyphs.ts';
import { THEMES } from '../theme/theme.ts';
import { type CustomCommand, readCustomCommands } from './custom-commands.ts';

/** Screens to start with. */
export const STARTS = ['last', 'overview', 'logs'] as const;

export interface Settings {
  /** A built-in theme, or one of the user's files. */
  readonly theme: string;
  readonly charts: ChartGlyphs;
  /** Draws with ASCII only; `auto` does where the terminal does not show UTF-8. */
  readonly ascii: boolean | 'auto';
  readonly start: (typeof STARTS)[number];
  /** Time zone of all times on the screen. */
  readonly zone: Zone;
  /** Mouse reports. With them, the terminal's own selection needs a modifier, usually Shift. */
  readonly mouse: boolean;
  readonly keys: Rebound;
  readonly commands: readonly CustomCommand[];
  /** Name of the profile to use without another choice; empty = none. */
  readonly profile: string;
  readonly profiles: readonly Profile[];
}

export const DEFAULTS: Settings = {
  theme: 'auto',
  charts: 'braille',
  ascii: 'auto',
  start: 'overview',
  zone: 'local',
  mouse: false,
  keys: {},
  commands: [],
  profile: '',
  profiles: [],
};

/** The option for glyphs, and the terminal's support of them. */
interface Drawing {
  readonly ascii: boolean | undefined;
  readonly isUtf8: boolean;
}

/** Returns whether to draw with ASCII only: an option decides, then the settings, then the terminal. */
export function drawsAscii(settings: Pick<Settings, 'ascii'>, drawing: Drawing): boolean {
  const chosen = drawing.ascii ?? settings.ascii;
  return chosen === 'auto' ? !drawing.isUtf8 : chosen;
}

/** Settings that were read, and the problems found. */
export interface ReadSettings {
  readonly settings: Settings;
  readonly problems: readonly TableProblem[];
}

type Table = Readonly<Record<string, unknown>>;

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads a parsed config.toml. `ownThemes` are the names of the user's theme files. */
export function readSettings(table: unknown, ownThemes: readonly string[] = []): ReadSettings {
  const of: Table = isTable(table) ? table : {};
  const problems: TableProblem[] = Object.keys(of)
    .filter((name) => !Object.hasOwn(DEFAULTS, name))
    .map((name) => ({ path: [name], text: `unknown key ${name.slice(0, 60)}` }));
  const report = (path: readonly string[], text: string): void => void problems.push({ path, text });
  const choice = <T extends string>(name: string, allowed: readonly T[], fallback: T): T => {
    const value = of[name];
    if (value === undefined) return fallback;
    const found = allowed.find((one) => one === value);
    if (found === undefined) report([name], `${name} must be one of ${allowed.join(', ')}`);
    return found ?? fallback;
  };
  const flag = <T extends boolean | 'auto'>(name: string, fallback: T): T | boolean => {
    const value = of[name];
    if (value === undefined || value === fallback) return fallback;
    if (typeof value === 'boolean') return value;
    report([name], `${name} must be true or false`);
    return fallback;
  };
  const tableOf = (name: string): Table => {
    const value = of[name];
    if (value !== undefined && !isTable(value)) report([name], `${name} must be a table`);
    return isTable(value) ? value : {};
  };
  const text = (name: string): string => {
    const value = of[name];
    if (value !== undefined && typeof value !== 'string') report([name], `${name} must be a text`);
    return typeof value === 'string' ? value : '';
  };
  const keys = readKeyBindings(tableOf('keys'), problems);
  return {
    settings: {
      theme: choice('theme', [...THEMES, ...ownThemes], DEFAULTS.theme),
      charts: choice('charts', CHARTS, DEFAULTS.charts),
      ascii: flag('ascii', DEFAULTS.ascii),
      start: choice('start', STARTS, DEFAULTS.start),
      zone: choice('zone', ZONES, DEFAULTS.zone),
      mouse: flag('mouse', DEFAULTS.mouse),
      keys,
      commands: readCustomCommands(of['commands'], keys, problems),
      profile: text('profile'),
      profiles: readProfiles(tableOf('profiles'), problems),
    },
    problems,
  };
}

/** Reads `"errlog.follow" = "f"`, also without quotes, which TOML reads as a table. */
function readKeyBindings(table: Table, problems: TableProblem[]): Rebound {
  const entries = Object.entries(table).flatMap(([name, value]): [path: string[], value: unknown][] =>
    isTable(value)
      ? Object.entries(value).map(([inner, keys]) => [['keys', name, inner], keys])
      : [[['keys', name], value]],
  );
  const keys: Record<string, readonly string[]> = {};
  for (const [path, value] of entries) {
    const name = path.slice(1).join('.');
    const list = typeof value === 'string' ? [value] : value;
    if (!COMMAND_NAMES.has(name)) problems.push({ path, text: `unknown command ${name.slice(0, 60)}` });
    else if (!Array.isArray(list) || list.some((key) => typeof key !== 'string' || key === '')) {
      problems.push({ path, text: `${name} must be a key or a list of keys` });
    } else keys[name] = list as string[];
  }
  return keys;
}

function readProfiles(table: Table, problems: TableProblem[]): Profile[] {
  return Object.entries(table).flatMap(([name, value]) => {
    for (const { path, text } of profileProblems(name, value)) {
      problems.push({ path: ['profiles', name, ...path], text });
    }
    return readProfile(name, value) ?? [];
  });
}

/** Settings that are one value: all but the tables. */
const VALUES = (Object.keys(DEFAULTS) as (keyof Settings)[]).filter(
  (name) => !['keys', 'commands', 'profiles'].includes(name),
);

/** Applies a change of the settings to the table of the file. What did not change stays as it is, known or not. */
export function changeSettings(table: Table, before: Settings, after: Settings): Table {
  const next: Record<string, unknown> = { ...table };
  for (const name of VALUES) if (before[name] !== after[name]) next[name] = after[name];
  if (before.keys !== after.keys) next['keys'] = after.keys;
  if (before.profiles !== after.profiles) {
    const tables = isTable(table['profiles']) ? table['profiles'] : {};
    next['profiles'] = changeProfiles(tables, before.profiles, after.profiles);
    if (Object.keys(next['profiles'] as Table).length === 0) delete next['profiles'];
  }
  return next;
}
