// What the bootstrap file says. A file that is not understood in full is refused: half of it would be worse than none.
// No message repeats a value, which may be a secret.
import { readFileSync } from 'node:fs';
import { ApiTokenDraft, plainMessage, Role, Username } from '@quarterdeck/core';
import { ConfigError } from '@quarterdeck/core/environment';
import { z } from 'zod';
import { readSecretKind } from '../../auth/secrets.ts';

/** A user that is to be there. */
export interface BootstrapUser {
  readonly username: string;
  readonly role: Role;
  readonly password: string;
}

/** An API token that is to be there. */
export interface BootstrapToken {
  readonly user: string;
  readonly name: string;
  readonly scopes: NonNullable<ApiTokenDraft['scopes']> | null;
  /** As it is written, see expiry.ts. */
  readonly expire: string | undefined;
  readonly cidrs: readonly string[];
  readonly secret: string;
}

/** What is to be there. */
export interface Bootstrap {
  readonly users: readonly BootstrapUser[];
  readonly tokens: readonly BootstrapToken[];
}

/** Refuses the file, naming the place. */
export const refuseAt = (place: string, problem: string): ConfigError =>
  new ConfigError(`QUARTERDECK_BOOTSTRAP: ${place === '' ? '' : `${place}: `}${problem}`);

/** All of it is one write, which has five seconds. */
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
 * Reads the text of a bootstrap file, and the files it names.
 *
 * @throws ConfigError with one line that names the place
 */
export function readBootstrap(
  text: string,
  readFile: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): Bootstrap {
  const parsed = File.safeParse(parseJson(text), { error: plainMessage });
  if (!parsed.success) throw refusalOf(parsed.error);
  const users = parsed.data.users.map(({ username, role, password, password_file }, i) => {
    const place = `users[${i}]`;
    return { username, role, password: oneOf(place, 'password', password, password_file, readFile) };
  });
  const tokens = parsed.data.api_tokens.map((token, i) => {
    const place = `api_tokens[${i}]`;
    const secret = oneOf(place, 'token', token.token, token.token_file, readFile);
    if (readSecretKind(secret) !== 'api_token') {
      throw refuseAt(`${place}.token`, 'is not a secret as `quarterdeck token generate` prints it');
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
  refuseTwice(
    'users',
    'username',
    users.map(({ username }) => username),
  );
  refuseTwice(
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
    // Of the message only the place: the rest quotes the text.
    const at = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
    const before = at === undefined ? undefined : text.slice(0, Number(at)).split('\n');
    throw refuseAt(before === undefined ? '' : `line ${before.length}`, 'is not valid JSON');
  }
}

/** `users[0].role` */
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
  // A key is what somebody typed: any text, of any length.
  const name = /^[\w-]{1,50}$/.test(key) ? key : 'a key';
  return refuseAt(placeOf([...issue.path, name]), 'there is no such key');
}

/** A secret that is given as it is, or by the name of a file that holds it. */
function oneOf(
  place: string,
  name: 'password' | 'token',
  direct: string | undefined,
  file: string | undefined,
  readFile: (path: string) => string,
): string {
  if ((direct === undefined) === (file === undefined)) {
    throw refuseAt(place, `one of ${name} and ${name}_file is needed, and not both`);
  }
  if (direct !== undefined) return direct;
  try {
    return readFile(file ?? '').replace(/[\r\n]+$/, '');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    throw refuseAt(`${place}.${name}_file`, `names a file that cannot be read${code}`);
  }
}

function refuseTwice(list: string, field: string, values: readonly string[]): void {
  const seen = new Set<string>();
  for (const [i, value] of values.entries()) {
    if (seen.has(value)) throw refuseAt(`${list}[${i}].${field}`, 'is there twice');
    seen.add(value);
  }
}
