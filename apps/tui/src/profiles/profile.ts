// Profiles: servers to connect to. They never contain a credential, at most the path of one.

/** Colours of profiles; each is also shown as a word. */
export const PROFILE_COLORS = ['none', 'red', 'yellow', 'green', 'blue'] as const;

export type ProfileColor = (typeof PROFILE_COLORS)[number];

/** A server and its settings, without secrets. */
export interface Profile {
  readonly name: string;
  /** Address of the administration site, without a trailing slash. */
  readonly url: string;
  /** Address of the console, if it differs. */
  readonly consoleUrl?: string | undefined;
  readonly color: ProfileColor;
  /** Changes are refused. */
  readonly readOnly: boolean;
  /** Deleting requires the typed name. */
  readonly isProtected: boolean;
  /** Path of a file with an API token that replaces the sign-in. */
  readonly tokenFile?: string | undefined;
}

/** Allowed names: the ones that can be typed after `:use`. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;

/** Returns the problem with a name; null if there is none. */
export const nameProblem = (name: string): string | null =>
  NAME.test(name) ? null : 'Use letters, digits, dots, dashes and underscores, at most 40.';

/** Maximum length of an address. */
const ADDRESS_MAX = 500;

/** Normalises an address; null if it is invalid. Needs no schema, so that commands start without loading zod. */
export function readAddress(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed.length > ADDRESS_MAX || !/^https?:/i.test(trimmed) || !URL.canParse(trimmed)) return null;
  const url = new URL(trimmed);
  const refused = `${url.username}${url.password}${url.search}${url.hash}`;
  return refused === '' ? url.href.replace(/\/+$/, '') : null;
}

const isColor = (value: unknown): value is ProfileColor => (PROFILE_COLORS as readonly unknown[]).includes(value);
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Reads a profile from a table of the configuration; null if its address is invalid. */
export function readProfile(name: string, table: unknown): Profile | null {
  if (typeof table !== 'object' || table === null || nameProblem(name) !== null) return null;
  const of = table as Readonly<Record<string, unknown>>;
  const url = readAddress(textOf(of['url']) ?? '');
  if (url === null) return null;
  const consoleText = textOf(of['console_url']);
  const color = of['color'];
  return {
    name,
    url,
    consoleUrl: consoleText === undefined ? undefined : (readAddress(consoleText) ?? undefined),
    color: isColor(color) ? color : 'none',
    readOnly: of['read_only'] === true,
    isProtected: of['protected'] === true,
    tokenFile: textOf(of['token_file']),
  };
}

/** A problem of a table: the path of the key, and a sentence without its end. */
export interface TableProblem {
  readonly path: readonly string[];
  readonly text: string;
}

const isFlag = (value: unknown): boolean => typeof value === 'boolean';
const isText = (value: unknown): boolean => typeof value === 'string';
const isAddress = (value: unknown): boolean => typeof value === 'string' && readAddress(value) !== null;

/** Keys of a profile, each with a check of its value and the values that it allows. */
const KEYS: Readonly<Record<string, readonly [isValid: (value: unknown) => boolean, allowed: string]>> = {
  url: [isAddress, 'an http:// or https:// address without user, query or fragment'],
  console_url: [isAddress, 'an http:// or https:// address without user, query or fragment'],
  color: [isColor, `one of ${PROFILE_COLORS.join(', ')}`],
  read_only: [isFlag, 'true or false'],
  protected: [isFlag, 'true or false'],
  token_file: [isText, 'the path of a file'],
};

/** Finds the unknown keys and the invalid values of a profile. */
export function profileProblems(name: string, table: unknown): TableProblem[] {
  const wrongName = nameProblem(name);
  if (wrongName !== null) return [{ path: [], text: `the name of the profile is not valid. ${wrongName}` }];
  if (typeof table !== 'object' || table === null) return [{ path: [], text: 'a profile must be a table' }];
  const of = table as Readonly<Record<string, unknown>>;
  const missing = of['url'] === undefined ? [{ path: [], text: 'the profile needs a url' }] : [];
  const wrong = Object.entries(of).flatMap(([key, value]): TableProblem[] => {
    const rule = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
    if (rule === undefined) return [{ path: [key], text: `unknown key ${key.slice(0, 60)}` }];
    const [isValid, allowed] = rule;
    return isValid(value) ? [] : [{ path: [key], text: `${key} must be ${allowed}` }];
  });
  return [...missing, ...wrong];
}

type Tables = Readonly<Record<string, unknown>>;

/** Applies a change of profiles to their tables. Other profiles and unknown keys stay. */
export function changeProfiles(tables: Tables, before: readonly Profile[], after: readonly Profile[]): Tables {
  const next: Record<string, unknown> = { ...tables };
  for (const { name } of before) if (after.every((one) => one.name !== name)) delete next[name];
  for (const profile of after) {
    const table = profileTable(profile);
    const old = before.find(({ name }) => name === profile.name);
    if (old !== undefined && JSON.stringify(profileTable(old)) === JSON.stringify(table)) continue;
    const unknown = Object.entries((next[profile.name] ?? {}) as Tables).filter(([key]) => !Object.hasOwn(KEYS, key));
    next[profile.name] = { ...table, ...Object.fromEntries(unknown) };
  }
  return next;
}

/** Returns the table of the configuration for a profile. */
function profileTable(profile: Profile): Record<string, string | boolean> {
  return {
    url: profile.url,
    ...(profile.consoleUrl === undefined ? {} : { console_url: profile.consoleUrl }),
    ...(profile.color === 'none' ? {} : { color: profile.color }),
    ...(profile.readOnly ? { read_only: true } : {}),
    ...(profile.isProtected ? { protected: true } : {}),
    ...(profile.tokenFile === undefined ? {} : { token_file: profile.tokenFile }),
  };
}
