// Settings of config.toml. Invalid entries are ignored and reported, never fatal.
import { COMMAND_NAMES, type Rebound } from '../keys/keymap.ts';
import { type Profile, profileTable, readProfile } from '../profiles/profile.ts';
import { THEMES, type ThemeName } from '../theme.ts';

/** Glyphs of charts to choose from. */
export const CHARTS = ['braille', 'block', 'ascii'] as const;

/** Name of chart glyphs. */
export type ChartName = (typeof CHARTS)[number];

/** Screens to start with. */
export const STARTS = ['last', 'overview', 'logs'] as const;

/** The settings. */
export interface Settings {
  readonly theme: ThemeName;
  readonly charts: ChartName;
  readonly ascii: boolean;
  readonly start: (typeof STARTS)[number];
  /** Mouse reports. With them, the terminal's own selection needs a modifier, usually Shift. */
  readonly mouse: boolean;
  readonly keys: Rebound;
  readonly profiles: readonly Profile[];
}

/** Default settings. */
export const DEFAULTS: Settings = {
  theme: 'auto',
  charts: 'braille',
  ascii: false,
  start: 'overview',
  mouse: false,
  keys: {},
  profiles: [],
};

/** Settings that were read, and the problems found. */
export interface ReadSettings {
  readonly settings: Settings;
  readonly problems: readonly string[];
}

/** Reads a parsed config.toml. */
export function readSettings(table: unknown): ReadSettings {
  const of = (typeof table === 'object' && table !== null ? table : {}) as Readonly<Record<string, unknown>>;
  const problems: string[] = [];
  const choice = <T extends string>(name: string, allowed: readonly T[], fallback: T): T => {
    const value = of[name];
    if (value === undefined) return fallback;
    const found = allowed.find((one) => one === value);
    if (found === undefined) problems.push(`${name} must be one of: ${allowed.join(', ')}`);
    return found ?? fallback;
  };
  const flag = (name: string, fallback: boolean): boolean => {
    const value = of[name];
    if (value === undefined || typeof value === 'boolean') return value ?? fallback;
    problems.push(`${name} must be true or false`);
    return fallback;
  };
  return {
    settings: {
      theme: choice('theme', THEMES, DEFAULTS.theme),
      charts: choice('charts', CHARTS, DEFAULTS.charts),
      ascii: flag('ascii', DEFAULTS.ascii),
      start: choice('start', STARTS, DEFAULTS.start),
      mouse: flag('mouse', DEFAULTS.mouse),
      keys: readKeyBindings(of['keys'], problems),
      profiles: readProfiles(of['profiles'], problems),
    },
    problems,
  };
}

function readKeyBindings(table: unknown, problems: string[]): Rebound {
  if (table === undefined) return {};
  const keys: Record<string, readonly string[]> = {};
  for (const [name, value] of Object.entries((table ?? {}) as Record<string, unknown>)) {
    const list = typeof value === 'string' ? [value] : value;
    if (!COMMAND_NAMES.has(name)) problems.push(`keys: unknown command ${name.slice(0, 60)}`);
    else if (!Array.isArray(list) || list.some((key) => typeof key !== 'string' || key === '')) {
      problems.push(`keys.${name} must be a key or a list of keys`);
    } else keys[name] = list as string[];
  }
  return keys;
}

function readProfiles(table: unknown, problems: string[]): Profile[] {
  return Object.entries((table ?? {}) as Record<string, unknown>).flatMap(([name, value]) => {
    const profile = readProfile(name, value);
    if (profile === null) problems.push(`profiles.${name.slice(0, 60)} needs a valid name and address`);
    return profile ?? [];
  });
}

/** Returns the table to write: only settings that differ from the defaults. */
export function settingsTable(settings: Settings): Record<string, unknown> {
  const { keys, profiles, ...plain } = settings;
  const changed = Object.entries(plain).filter(([name, value]) => value !== DEFAULTS[name as keyof typeof plain]);
  return {
    ...Object.fromEntries(changed),
    ...(Object.keys(keys).length === 0
      ? {}
      : { keys: Object.fromEntries(Object.entries(keys).map(([k, v]) => [k, [...v]])) }),
    ...(profiles.length === 0
      ? {}
      : { profiles: Object.fromEntries(profiles.map((profile) => [profile.name, profileTable(profile)])) }),
  };
}
