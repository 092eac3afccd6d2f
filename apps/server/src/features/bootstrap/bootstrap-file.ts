// Parses the bootstrap file. A file with any mistake is refused as a whole. No message repeats a value, which may be a
// secret.
import { ApiTokenDraft, plainMessage, Role, Username } from '@quarterdeck/core';
import { ConfigError } from '@quarterdeck/core/environment';
import { readSmallFile, valueIn } from '@quarterdeck/core/small-file';
import { z } from 'zod';
import { readSecretKind } from '../../auth/secrets.ts';

export interface BootstrapUser {
  readonly username: string;
  readonly role: Role;
  readonly password: string;
}

/** API token of the file. */
export interface BootstrapToken {
  readonly user: string;
  readonly name: string;
  readonly scopes: NonNullable<ApiTokenDraft['scopes']> | null;
  /** Text of the expiry, see token-expiry.ts. */
  readonly expire: string | undefined;
  readonly cidrs: readonly string[];
  readonly secret: string;
}

/** Parsed bootstrap file. */
export interface Bootstrap {
  readonly users: readonly BootstrapUser[];
  readonly tokens: readonly BootstrapToken[];
}

/** Creates the error that refuses the file and names the place. */
export const refuseAt = (place: string, problem: string): ConfigError =>
  new ConfigError(`QUARTERDECK_BOOTSTRAP: ${place === '' ? '' : `${place}: `}${problem}`);

/** Longest list: all of the file is applied in one write, which has five seconds. */
const LIST_MAX = 200;
const Text = z.string().min(1).max(4096);
const { name, scopes, allowed_cidrs } = ApiTokenDraft.shape;

const User = z.strictObject({
  username: Username,
  role: Role,
  password: Text.optional(),
  password_file: Text.optional(),
});

const Token = z.strictObject({
  user: Username,
  name,
  scopes,
  expire: z.string().max(100).nullish(),
  allowed_cidrs,
  token: Text.optional(),
  token_file: Text.optional(),
});

const File = z.strictObject({
  users: z.array(User).max(LIST_MAX).default([]),
  api_tokens: z.array(Token).max(LIST_MAX).default([]),
});

/**
 * Parses the text of a bootstrap file, and reads the files it names.
 *
 * @throws ConfigError with one line that names the place
 */
export function readBootstrap(text: string, readFile: (path: string) => string = readSmallFile): Bootstrap {
  const parsed = File.safeParse(parseJson(valueIn(text)), { error: plainMessage });
  if (!parsed.success) throw refusalOf(parsed.error);
  const users = parsed.data.users.map(({ username, role, password, password_file }, i) => {
    const place = `users[${i}]`;
    return { username, role, password: oneOf(place, 'password', password, password_file, readFile) };
  });
  const tokens = parsed.data.api_tokens.map((token, i) => {
    const place = `api_tokens[${i}]`;
    const secret = oneOf(place, 'token', token.token, token.token_file, readFile);
    if (readSecretKind(secret) !== 'api_token') {
      throw refuseAt(`${place}.token`, 'is not a secret; create one with `quarterdeckd token generate`');
    }
    return {
      user: token.user,
      name: token.name ?? '',
      scopes: token.scopes ?? null,
      expire: token.expire ?? undefined,
      cidrs: token.allowed_cidrs ?? [],
      secret,
    };
  });
  refuseDuplicates(
    'users',
    'username',
    users.map(({ username }) => username),
  );
  refuseDuplicates(
    'api_tokens',
    'token',
    tokens.map(({ secret }) => secret),
  );
  return { users, tokens };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The position is taken from the message; the rest of it quotes the text.
    const at = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
    const before = at === undefined ? undefined : text.slice(0, Number(at)).split('\n');
    throw refuseAt(before === undefined ? '' : `line ${before.length}`, 'is not valid JSON');
  }
}

/** Formats a path as `users[0].role`. */
const placeOf = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (place, key) => (typeof key === 'number' ? `${place}[${key}]` : `${place}${place === '' ? '' : '.'}${String(key)}`),
    '',
  );

function refusalOf(error: z.ZodError): ConfigError {
  const [issue] = error.issues;
  if (issue?.code !== 'unrecognized_keys')
    return refuseAt(placeOf(issue?.path ?? []), issue?.message ?? 'is not valid');
  const [key = ''] = issue.keys;
  // An unknown key may be any text of any length.
  const name = /^[\w-]{1,50}$/.test(key) ? key : 'a key';
  return refuseAt(placeOf([...issue.path, name]), 'unknown key');
}

/** Reads a secret that the file holds itself, or that is in a file it names. */
function oneOf(
  place: string,
  name: 'password' | 'token',
  direct: string | undefined,
  file: string | undefined,
  readFile: (path: string) => string,
): string {
  if ((direct === undefined) === (file === undefined)) {
    throw refuseAt(place, `needs either ${name} or ${name}_file`);
  }
  if (direct !== undefined) return valueIn(direct);
  try {
    return valueIn(readFile(file ?? ''));
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    throw refuseAt(`${place}.${name}_file`, `names a file that cannot be read${code}`);
  }
}

/** Refuses a value that occurs twice. */
function refuseDuplicates(list: string, field: string, values: readonly string[]): void {
  const seen = new Set<string>();
  for (const [i, value] of values.entries()) {
    if (seen.has(value)) throw refuseAt(`${list}[${i}].${field}`, 'occurs twice');
    seen.add(value);
  }
}
