// The settings file (TOML). Its keys are the names of the variables without their prefix, in lower case: `port`,
// `tls_cert_file`. A variable of the environment overrides its key. An unknown key stops the start.
import { statSync } from 'node:fs';
import { ConfigError, type Environment, readSettingsText, type Variable } from '@quarterdeck/core/environment';
import { valueIn } from '@quarterdeck/core/small-file';
import { parse, TomlError } from 'smol-toml';
import { oidcVariable } from './oidc-variables.ts';

const PREFIX = 'QUARTERDECK_';
/** Variable that names the file. */
export const FILE_VARIABLE = 'QUARTERDECK_CONFIG';
/** File in the working folder that is read where {@link FILE_VARIABLE} is not set, if it exists. */
export const FILE_DEFAULT = 'quarterdeck.toml';

export interface SettingsFile {
  readonly path: string;
  /** Its values by the key of the file, as text; `KEY_FILE` where it names a file that holds the value. */
  readonly values: Environment;
  /** It holds a secret, and users other than its owner may read it. */
  readonly exposesSecret: boolean;
}

/** Key of a variable in the file. */
export const keyOf = ({ name }: Pick<Variable<unknown>, 'name'>): string => name.slice(PREFIX.length).toLowerCase();

/** Name of the variable of a key, which may end in `_FILE`. */
export const variableOfKey = (key: string): string => `${PREFIX}${key.toUpperCase()}`;

/**
 * Reads the settings file, if there is one.
 *
 * @throws ConfigError when it cannot be read, is not TOML, or has an unknown key or a value that no setting has
 */
export function readSettingsFile(env: Environment, variables: readonly Variable<unknown>[]): SettingsFile | undefined {
  const named = valueIn(env[FILE_VARIABLE] ?? '') || undefined;
  const path = named ?? FILE_DEFAULT;
  const text = readSettingsText('settings file', path, named !== undefined);
  if (text === undefined) return undefined;
  const byKey = new Map(variables.map((variable) => [keyOf(variable), variable]));
  const find = (key: string) => byKey.get(key) ?? oidcVariable(variableOfKey(key));
  const values: Record<string, string> = {};
  let holdsSecret = false;
  for (const [key, value] of Object.entries(tableIn(path, text))) {
    const variable = find(key);
    const named = variable ?? find(key.replace(/_file$/, ''));
    if (named === undefined) throw new ConfigError(`${path}: there is no key ${JSON.stringify(key)}${hint(value)}`);
    if (variable?.secret) holdsSecret = true;
    const where = variable === undefined ? `${keyOf(named)}_FILE` : key;
    values[where] = textOf(value) ?? refuse(path, key, named);
  }
  return { path, values, exposesSecret: holdsSecret && othersMayRead(path) };
}

function tableIn(path: string, text: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text);
  } catch (cause) {
    // The text of the error repeats lines of the file, which may hold secrets.
    const where = cause instanceof TomlError ? ` at line ${cause.line}, column ${cause.column}` : '';
    throw new ConfigError(`${path}: not TOML${where}`, { cause: undefined });
  }
}

/** Value as the variable would have it; undefined for a table or a date. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (!Array.isArray(value)) return undefined;
  const items = value.map(textOf);
  return items.includes(undefined) ? undefined : items.join(',');
}

const hint = (value: unknown): string =>
  typeof value === 'object' && !Array.isArray(value) ? '; tables have no meaning here, write smtp_host = "..."' : '';

function refuse(path: string, key: string, { allowed }: Variable<unknown>): never {
  throw new ConfigError(`${path}: ${key} is not text, a number, true, false or a list; allowed: ${allowed}`);
}

const othersMayRead = (path: string): boolean => (statSync(path).mode & 0o077) !== 0;
