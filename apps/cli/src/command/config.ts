// Reads the environment. The only reader of process.env.
import { readSmallFile, valueIn } from '@quarterdeck/core/small-file';
import { readAddress } from '@quarterdeck/tui/profiles';
import { usage } from '../process/command-error.ts';

/** Settings of the environment. */
export interface Config {
  /** Address of the server. */
  readonly url: string | undefined;
  /** API token that replaces a sign-in. */
  readonly token: string | undefined;
  /** Credentials may be stored in the keyring of the system. */
  readonly hasKeyring: boolean;
  /** Folder of `apply` and `export` where the command names none. */
  readonly applyFolder: string | undefined;
  /** Reads a variable that a file of `apply` names, or the file of its `_FILE` variable; undefined = missing, empty. */
  readonly variable: (name: string) => string | undefined;
}

/** Environment variables by name. */
type Environment = Readonly<Record<string, string | undefined>>;

/** Reads a variable, or the file that its `_FILE` variable names. */
function variable(env: Environment, name: string): string | undefined {
  const direct = valueIn(env[name] ?? '').trim() || undefined;
  const file = valueIn(env[`${name}_FILE`] ?? '') || undefined;
  if (direct !== undefined && file !== undefined) throw usage(`Set only one of ${name} and ${name}_FILE.`);
  if (file === undefined) return direct;
  try {
    return readSmallFile(file).trim() || undefined;
  } catch {
    throw usage(`${name}_FILE names a file that cannot be read.`);
  }
}

/** Reads the settings of an environment. */
export function readConfig(env: Environment): Config {
  const address = variable(env, 'QUARTERDECK_URL');
  const url = address === undefined ? undefined : (readAddress(address) ?? undefined);
  if (address !== undefined && url === undefined) {
    throw usage('QUARTERDECK_URL must be an http:// or https:// address without user, password, query or fragment.');
  }
  const token = variable(env, 'QUARTERDECK_TOKEN');
  if (token !== undefined && !/^[\x21-\x7e]{1,512}$/.test(token)) throw usage('QUARTERDECK_TOKEN is not an API token.');
  return {
    url,
    token,
    hasKeyring: valueIn(env['QUARTERDECK_KEYRING'] ?? '') !== 'off',
    applyFolder: valueIn(env['QUARTERDECK_APPLY'] ?? '') || undefined,
    variable: (name) => variable(env, name),
  };
}

/** Reads the settings of this process. The dashboard takes the environment by itself. */
export const processConfig = (): Config => readConfig(process.env);
