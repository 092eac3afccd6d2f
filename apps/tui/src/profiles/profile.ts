// A server one can connect to. Never holds a credential, at most where one is.
import { addressSchema } from '@quarterdeck/core/environment';

/** Colours a profile can have; each is also said in words by its name. */
export const PROFILE_COLORS = ['none', 'red', 'yellow', 'green', 'blue'] as const;

/** Colour of a profile. */
export type ProfileColor = (typeof PROFILE_COLORS)[number];

/** A server with everything that is to be known about it but a secret. */
export interface Profile {
  readonly name: string;
  /** Address of the administration site, without a slash at its end. */
  readonly url: string;
  /** Address of the console where it is another one. */
  readonly consoleUrl?: string | undefined;
  readonly color: ProfileColor;
  /** Nothing is changed from here. */
  readonly readOnly: boolean;
  /** What is destroyed has to be named by typing. */
  readonly isProtected: boolean;
  /** A file with an API token, to skip the sign-in. */
  readonly tokenFile?: string | undefined;
}

/** The name a profile may have: what can be typed after `:use`. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;

/** What is wrong with a name; null: nothing. */
export const nameProblem = (name: string): string | null =>
  NAME.test(name) ? null : 'A name is letters, digits, dots, dashes and underscores, at most 40.';

/** The address as it is used, or null for what is none. */
export function readAddress(text: string): string | null {
  const read = addressSchema.safeParse(text.trim());
  return read.success ? read.data : null;
}

const isColor = (value: unknown): value is ProfileColor => (PROFILE_COLORS as readonly unknown[]).includes(value);
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** A profile from a table of the configuration; null where it has no usable address. */
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

/** The table of the configuration for a profile. */
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
