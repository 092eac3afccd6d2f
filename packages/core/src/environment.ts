// Reads settings from environment variables, the same way for every program of the project. Node only.
import * as z from 'zod';
import { readSmallFile } from './small-file.ts';
import { quoted, valueIn } from './small-text.ts';

export { parsePostgresAddress } from './postgres-address.ts';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** An invalid setting that prevents the start. The message is one line for people and never repeats a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Definition of one setting. */
export interface Variable<T> {
  /** Full name, `QUARTERDECK_...`. */
  readonly name: string;
  /** Allowed values, for the message that refuses others. */
  readonly allowed: string;
  /** Sentence for `--help` and for the reference of settings. */
  readonly help?: string;
  /** Schema of the value; receives `undefined` when nothing is given. */
  readonly schema: z.ZodType<T, string | undefined>;
  /** The value must not appear in a message. */
  readonly secret?: true;
}

const SHOWN_MAX = 100;

/** Quotes a value for a message: nothing of a secret or of a value that may contain one, and never a screenful. */
function shown(variable: Variable<unknown>, raw: string | undefined): string {
  if (raw === undefined) return 'not set';
  if (variable.secret || /@|qd_[a-z]_/.test(raw)) return 'a value that is not repeated here';
  return quoted(raw.length > SHOWN_MAX ? `${raw.slice(0, SHOWN_MAX)}...` : raw);
}

/**
 * Reads a file of settings; `kind` says what it is. Undefined where there is none; one that `isNamed` must exist.
 *
 * @throws ConfigError when it cannot be read
 */
export function readSettingsText(kind: string, path: string, isNamed: boolean): string | undefined {
  try {
    return readSmallFile(path);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    if (!isNamed && ['ENOENT', 'ENOTDIR'].includes(code)) return undefined;
    throw new ConfigError(`the ${kind} ${JSON.stringify(path)} cannot be read (${code})`, { cause });
  }
}

/**
 * Reads one setting, from its variable or from the file that its `_FILE` variable names. Empty equals absent; a byte
 * order mark and the line ends at the end are no part of the value.
 *
 * @throws ConfigError when both are given, the file cannot be read, or the value is not allowed
 */
export function readVariable<T>(
  env: Environment,
  variable: Variable<T>,
  readFile: (path: string) => string = readSmallFile,
): T {
  const { name } = variable;
  const direct = valueIn(env[name] ?? '') || undefined;
  const file = valueIn(env[`${name}_FILE`] ?? '') || undefined;
  if (direct !== undefined && file !== undefined) {
    throw new ConfigError(`${name} and ${name}_FILE are both set; only one of them may be`);
  }
  const raw = file === undefined ? direct : contentOf(`${name}_FILE`, file, readFile);
  const parsed = variable.schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const where = file === undefined ? name : `${name}_FILE`;
  const reason = parsed.error.issues.find(({ code, message }) => code === 'custom' && message !== 'Invalid input');
  const why = variable.secret === true && reason !== undefined ? `: ${reason.message}` : '';
  throw new ConfigError(`${where} gives ${shown(variable, raw)}${why}; allowed: ${variable.allowed}`);
}

function contentOf(name: string, file: string, readFile: (path: string) => string): string | undefined {
  try {
    return valueIn(readFile(file)) || undefined;
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    const text = `${name} names ${quoted(file)}, which cannot be read${code}; allowed: a readable file`;
    throw new ConfigError(text, { cause });
  }
}

/** Describes what {@link addressSchema} accepts, for {@link Variable.allowed}. */
export const ADDRESS_ALLOWED = 'an http:// or https:// address without user, password, query or fragment';

/** Address of a server, without a slash at its end. */
export const addressSchema = z
  .url({ protocol: /^https?$/ })
  .max(500)
  .transform((value) => new URL(value))
  .refine((url) => `${url.username}${url.password}${url.search}${url.hash}` === '')
  .transform((url) => url.href.replace(/\/+$/, ''));

/** Default address of a server. */
export const ADDRESS_DEFAULT = 'http://127.0.0.1:7080';

/** A credential: visible ASCII, as a header can carry it. */
export const credentialSchema = z
  .string()
  .regex(/^[\x21-\x7e]{1,512}$/)
  .optional();

/** Level of a program's log. */
export const LOG_LEVEL: Variable<'debug' | 'info' | 'warn' | 'error' | 'silent'> = {
  name: 'QUARTERDECK_LOG_LEVEL',
  allowed: 'debug, info, warn, error or silent',
  help: 'debug, info, warn, error or silent (default info)',
  schema: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
};
