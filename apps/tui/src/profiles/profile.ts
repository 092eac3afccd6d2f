// Profiles: servers to connect to. They never contain a credential, at most the path of one.
import { addressSchema } from '@quarterdeck/core/environment';

/** Colours of profiles; each is also shown as a word. */
export const PROFILE_COLORS = ['none', 'red', 'yellow', 'green', 'blue'] as const;

/** Colour of a profile. */
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

/** Normalises an address; null if it is invalid. */
export function readAddress(text: string): string | null {
  const read = addressSchema.safeParse(text.trim());
  return read.success ? read.data : null;
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

/** Returns the table of the configuration for a profile. */
export function profileTable(profile: Profile): Record<string, string | boolean> {
  return {
    url: profile.url,
    ...(profile.consoleUrl === undefined ? {} : { console_url: profile.consoleUrl }),
    ...(profile.color === 'none' ? {} : { color: profile.color }),
    ...(profile.readOnly ? { read_only: true } : {}),
    ...(profile.isProtected ? { protected: true } : {}),
    ...(profile.tokenFile === undefined ? {} : { token_file: profile.tokenFile }),
  };
}
