// Settings from environment variables, read the same way by every program of the project. Node only.
import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting that a program cannot start with. The message is one line, fit to print, and never repeats a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** One setting. */
export interface Variable<T> {
  /** Full name, `QUARTERDECK_...`. */
  readonly name: string;
  /** What may be given, for the message that refuses something else. */
  readonly allowed: string;
  /** For `--help`. */
  readonly help?: string;
  /** What it is read with; `undefined` goes in where nothing is given. */
  readonly schema: z.ZodType<T, string | undefined>;
  /** The value must not be repeated in a message. */
  readonly secret?: true;
}

const SHOWN_MAX = 100;

/** What a message may show of a value: nothing of a secret, nor of a value that may have one in it; never a screenful. */
function shown(variable: Variable<unknown>, raw: string | undefined): string {
  if (raw === undefined) return 'not set';
  if (variable.secret || /@|qd_[a-z]_/.test(raw)) return 'a value that is not repeated here';
  const text = JSON.stringify(raw.length > SHOWN_MAX ? `${raw.slice(0, SHOWN_MAX)}...` : raw);
  return text.replace(/[\u007f-\u009f\u2028\u2029]/g, '?');
}

/**
 * Reads one setting, from its variable or from the file that the variable's `_FILE` twin names. Empty is the same as
 * absent; the line break that ends a file is not part of the value.
 *
 * @throws ConfigError where both are given, the file cannot be read, or the value is not allowed
 */
export function readVariable<T>(
  env: Environment,
  variable: Variable<T>,
  readFile: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): T {
  const { name } = variable;
  const direct = env[name] || undefined;
  const file = env[`${name}_FILE`] || undefined;
  if (direct !== undefined && file !== undefined) {
    throw new ConfigError(`${name} and ${name}_FILE are both set; only one of them may be`);
  }
  const raw = file === undefined ? direct : contentOf(`${name}_FILE`, file, readFile);
  const parsed = variable.schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const where = file === undefined ? name : `${name}_FILE`;
  throw new ConfigError(`${where} gives ${shown(variable, raw)}; allowed: ${variable.allowed}`);
}

function contentOf(name: string, file: string, readFile: (path: string) => string): string | undefined {
  try {
    return readFile(file).replace(/[\r\n]+$/, '') || undefined;
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    const text = `${name} names ${JSON.stringify(file)}, which cannot be read${code}; allowed: a readable file`;
    throw new ConfigError(text, { cause });
  }
}

/** What {@link addressSchema} takes, for {@link Variable.allowed}. */
export const ADDRESS_ALLOWED = 'an http:// or https:// address without user, password, query or fragment';

/** The address of a server, without a slash at its end. */
export const addressSchema = z
  .url({ protocol: /^https?$/ })
  .max(500)
  .transform((value) => new URL(value))
  .refine((url) => `${url.username}${url.password}${url.search}${url.hash}` === '')
  .transform((url) => url.href.replace(/\/+$/, ''));

/** The address of a server that listens where it listens by default. */
export const ADDRESS_DEFAULT = 'http://127.0.0.1:7080';

/** A credential: visible ASCII, as a header can carry it. */
export const credentialSchema = z
  .string()
  .regex(/^[\x21-\x7e]{1,512}$/)
  .optional();

/** How much a program writes to its log. */
export const LOG_LEVEL: Variable<'debug' | 'info' | 'warn' | 'error' | 'silent'> = {
  name: 'QUARTERDECK_LOG_LEVEL',
  allowed: 'debug, info, warn, error or silent',
  help: 'debug, info, warn, error or silent (default info)',
  schema: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
};
