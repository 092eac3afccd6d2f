// Credential -> actor. The only code that knows how a request proves who it is. Every credential is looked up in the
// database on every request: what was revoked a moment ago is refused, on any server process.
import type { IncomingHttpHeaders } from 'node:http';
import { type Actor, AGENT_PERMISSIONS, AppError, permissionsOf, type SecretKind } from '@quarterdeck/core';
import { type Database, statement } from '@quarterdeck/core/db';
import { readSecretKind, type SecretKey } from '../auth/secrets.ts';

/** Who a request comes from; null where it brings no credential. */
export type Identify = (headers: IncomingHttpHeaders) => Promise<Actor | null>;

interface PersonRow {
  readonly id: number;
  readonly expire_ms: number;
  readonly user_id: number;
  readonly username: string;
  readonly role: string;
}

const person = (table: 'session' | 'api_token') =>
  statement(
    `SELECT c.id, c.expire_ms, u.id AS user_id, u.username, u.role FROM ${table} c JOIN "user" u ON u.id = c.user_id ` +
      'WHERE c.token_hash = ? AND NOT u.disabled',
  );

const PERSON = { session: person('session'), api_token: person('api_token') };
const AGENT = statement('SELECT id FROM agent WHERE secret_hash = ? AND NOT is_deleted');

/** Which kinds of secret a header may bring, in the order in which the headers win (wire contract section 2). */
const HEADERS: readonly { name: string; kinds: readonly SecretKind[]; scheme?: RegExp }[] = [
  { name: 'api-token', kinds: ['api_token', 'agent'] },
  { name: 'edge-token', kinds: ['session'] },
  { name: 'auth', kinds: ['session'] },
  { name: 'authorization', kinds: ['api_token', 'session', 'agent'], scheme: /^Bearer +/i },
];

/** Makes {@link Identify} over a database. `now` is in Unix milliseconds. */
export function createIdentify(db: Database, key: SecretKey, now: () => number): Identify {
  const byKind: Record<SecretKind, (hash: Uint8Array) => Promise<Actor>> = {
    session: (hash) => findPerson('session', hash),
    api_token: (hash) => findPerson('api_token', hash),
    agent: async (hash) => {
      const row = await db.read.sql.get<{ id: number }>(AGENT, hash);
      if (row === undefined) throw new AppError('credential_invalid');
      return { kind: 'agent', agentId: row.id, permissions: AGENT_PERMISSIONS };
    },
  };

  async function findPerson(kind: 'session' | 'api_token', hash: Uint8Array): Promise<Actor> {
    const row = await db.read.sql.get<PersonRow>(PERSON[kind], hash);
    if (row === undefined) throw new AppError('credential_invalid');
    if (row.expire_ms !== 0 && row.expire_ms <= now()) {
      throw new AppError(kind === 'session' ? 'session_expired' : 'token_expired');
    }
    return {
      kind: 'user',
      userId: row.user_id,
      username: row.username,
      role: row.role,
      permissions: permissionsOf(row.role),
      credential: { kind, id: row.id, expireMs: row.expire_ms },
    };
  }

  return async (headers) => {
    for (const { name, kinds, scheme } of HEADERS) {
      const value = headers[name];
      // Empty is the same as absent, as everywhere on this wire.
      if (typeof value !== 'string' || value === '') continue;
      const secret = scheme === undefined ? value : scheme.test(value) ? value.replace(scheme, '') : '';
      const kind = readSecretKind(secret);
      if (kind === undefined || !kinds.includes(kind)) throw new AppError('credential_invalid');
      return byKind[kind](key.digest(secret));
    }
    return null;
  };
}
