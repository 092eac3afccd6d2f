// Credential -> actor. The only code that knows how a request proves who it is. Every credential is looked up in the
// database on every request: what was revoked a moment ago is refused, on any server process.
import type { IncomingHttpHeaders } from 'node:http';
import {
  type Actor,
  AGENT_PERMISSIONS,
  AppError,
  CONFIRMED_FOR_MS,
  ENROLLMENT_PERMISSIONS,
  type SecretKind,
  type UserActor,
} from '@quarterdeck/core';
import { type Sql, statement } from '@quarterdeck/core/db';
import { readSecretKind, type SecretKey } from '../auth/secrets.ts';
import type { SessionIdle } from '../auth/session-idle.ts';
import type { CallContext } from '../call-context.ts';
import { SEEN_COLUMNS, type SeenAgent, type SeenRow } from '../features/agent/agent.seen.ts';
import type { CredentialWatch } from '../features/api-token/credential-watch.ts';
import { grantOf } from '../features/api-token/token-scopes.ts';
import { addressWithin } from '../net/address-blocks.ts';
import { clientOf } from './caller.ts';

/**
 * Who a request from an address comes from; null where it brings no credential.
 *
 * @throws AppError 401 for a credential that is no good, {@link AddressRefusal} for one that is good elsewhere
 */
export type Identify = (headers: IncomingHttpHeaders, address: string, requestId: string) => Promise<Actor | null>;

/** A good API token at an address where it may not be used. Unlike other wrong credentials it says whose it is. */
export class AddressRefusal extends AppError {
  readonly actor: UserActor;

  constructor(actor: UserActor) {
    super('address_not_allowed');
    this.actor = actor;
  }
}

/** What {@link createIdentify} works on. */
interface IdentifyDeps {
  readonly db: { readonly read: { readonly sql: Pick<Sql, 'get'> } };
  readonly key: SecretKey;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly sessionIdle: Pick<SessionIdle, 'endedBeforeMs'>;
  readonly credentials: Pick<CredentialWatch, 'used' | 'lastNoted' | 'reused'>;
  /** Is told of an agent whose secret from before was used while it uses the new one. Returns at once. */
  readonly onClone: (agentId: number) => void;
}

interface PersonRow {
  readonly id: number;
  readonly expire_ms: number;
  readonly last_used_ms: number;
  readonly user_id: number;
  readonly username: string;
  readonly role: string;
  readonly totp_since_ms: number;
  /** Names of the roles that must have a second factor, with commas between. */
  readonly require_2fa: string | null;
}

interface SessionRow extends PersonRow {
  readonly created_ms: number;
  readonly confirmed_ms: number;
}

interface TokenRow extends PersonRow {
  readonly scopes: string;
  readonly disabled: number;
  readonly allowed_cidrs: string;
  readonly grace_until_ms: number;
}

// Two look-ups by key, of the credential and of its owner, and that of one setting. What is not asked for is not read.
const COLUMNS =
  'c.id, c.expire_ms, c.last_used_ms, u.id AS user_id, u.username, u.role, u.totp_since_ms, ' +
  "(SELECT value FROM setting WHERE name = 'require_2fa') AS require_2fa";
const FROM_USER = 'JOIN "user" u ON u.id = c.user_id';

const SESSION = statement(
  `SELECT ${COLUMNS}, c.created_ms, c.confirmed_ms FROM session c ${FROM_USER} ` +
    'WHERE c.token_hash = ? AND NOT u.disabled',
);

const tokenBy = (column: string) =>
  statement(
    `SELECT ${COLUMNS}, c.scopes, c.disabled, c.allowed_cidrs, c.grace_until_ms ` +
      `FROM api_token c ${FROM_USER} WHERE c.${column} = ? AND NOT u.disabled`,
  );
const API_TOKEN = tokenBy('token_hash');
const REPLACED_TOKEN = tokenBy('previous_hash');

const AGENT = statement(`SELECT ${SEEN_COLUMNS} FROM agent WHERE secret_hash = ? AND NOT is_deleted`);
const REPLACED_AGENT = statement('SELECT id FROM agent WHERE previous_hash = ? AND secret_used AND NOT is_deleted');
const ENROLLMENT = statement('SELECT id, expire_ms FROM enrollment WHERE token_hash = ?');

/** Which kinds of secret a header may bring, in the order in which the headers win (wire contract section 2). */
const HEADERS: readonly { name: string; kinds: readonly SecretKind[]; scheme?: RegExp }[] = [
  { name: 'api-token', kinds: ['api_token', 'agent', 'enrollment'] },
  { name: 'edge-token', kinds: ['session'] },
  { name: 'auth', kinds: ['session'] },
  { name: 'authorization', kinds: ['api_token', 'session', 'agent', 'enrollment'], scheme: /^Bearer +/i },
];

/** Credentials in the headers, as one text: the same for requests with the same credentials. */
export const credentialText = (headers: IncomingHttpHeaders): string =>
  HEADERS.map(({ name }) => headers[name] ?? '').join('\n');

type Caller = CallContext['request'];

/** Makes {@link Identify}. */
export function createIdentify({ db, key, now, sessionIdle, credentials, onClone }: IdentifyDeps): Identify {
  const { sql } = db.read;
  const byKind: Record<SecretKind, (hash: Uint8Array, caller: Caller) => Promise<Actor>> = {
    session: async (hash, caller) => {
      const row = await sql.get<SessionRow>(SESSION, hash);
      if (row === undefined) throw new AppError('credential_invalid');
      if (row.expire_ms <= now() || isIdle(row)) throw new AppError('session_expired');
      // Of two servers, the one that stored the confirmation may be ahead of this one by a moment.
      const confirmed = Math.abs(now() - row.confirmed_ms) < CONFIRMED_FOR_MS;
      return accept('session', row, '', caller, confirmed);
    },
    api_token: async (hash, caller) => {
      // In this order: a rotation moves a secret from the one column to the other, so none is missed in between.
      const row = (await sql.get<TokenRow>(API_TOKEN, hash)) ?? (await replacedToken(hash, caller));
      if (row === undefined || row.disabled === 1) throw new AppError('credential_invalid');
      if (row.expire_ms !== 0 && row.expire_ms <= now()) throw new AppError('token_expired');
      if (row.allowed_cidrs !== '' && !addressWithin(caller.address, row.allowed_cidrs)) {
        throw new AddressRefusal(actorOf('api_token', row, row.scopes));
      }
      return accept('api_token', row, row.scopes, caller);
    },
    agent: async (hash): Promise<SeenAgent> => {
      const seen = await sql.get<SeenRow>(AGENT, hash);
      if (seen === undefined) {
        const replaced = await sql.get<{ id: number }>(REPLACED_AGENT, hash);
        if (replaced !== undefined) onClone(replaced.id);
        throw new AppError('credential_invalid');
      }
      return { kind: 'agent', agentId: seen.id, permissions: AGENT_PERMISSIONS, seen };
    },
    enrollment: async (hash) => {
      const row = await sql.get<{ id: number; expire_ms: number }>(ENROLLMENT, hash);
      if (row === undefined) throw new AppError('credential_invalid');
      if (row.expire_ms !== 0 && row.expire_ms <= now()) throw new AppError('token_expired');
      return { kind: 'enrollment', enrollmentId: row.id, permissions: ENROLLMENT_PERMISSIONS };
    },
  };

  /** The token whose secret before the last rotation this is, while that one still works. */
  async function replacedToken(hash: Uint8Array, caller: Caller): Promise<TokenRow | undefined> {
    const row = await sql.get<TokenRow>(REPLACED_TOKEN, hash);
    if (row === undefined || row.grace_until_ms > now()) return row;
    credentials.reused(row.id, caller);
    return undefined;
  }

  /** True where a session was not used for too long. A use may be known here that is not in the database yet. */
  function isIdle({ id, created_ms, last_used_ms }: SessionRow): boolean {
    const endedMs = sessionIdle.endedBeforeMs(now());
    return created_ms <= endedMs && last_used_ms <= endedMs && credentials.lastNoted('session', id) <= endedMs;
  }

  function accept(
    kind: 'session' | 'api_token',
    row: PersonRow,
    scopesText: string,
    caller: Caller,
    confirmed = false,
  ): UserActor {
    credentials.used(kind, row.id, row.last_used_ms, caller.address, caller.client);
    return actorOf(kind, row, scopesText, confirmed);
  }

  return async (headers, address, id) => {
    for (const { name, kinds, scheme } of HEADERS) {
      const value = headers[name];
      // Empty is the same as absent, as everywhere on this wire.
      if (typeof value !== 'string' || value === '') continue;
      const secret = scheme === undefined ? value : scheme.test(value) ? value.replace(scheme, '') : '';
      const kind = readSecretKind(secret);
      if (kind === undefined || !kinds.includes(kind)) throw new AppError('credential_invalid');
      return byKind[kind](key.digest(secret), { id, address, client: clientOf(headers) });
    }
    return null;
  };
}

/** Who a credential stands for, and what it may do. */
function actorOf(kind: 'session' | 'api_token', row: PersonRow, scopesText: string, confirmed = false): UserActor {
  const { scopes, permissions } = grantOf(row.role, scopesText);
  const secondFactor = row.totp_since_ms > 0;
  const mustSetUpSecondFactor =
    !secondFactor && row.require_2fa !== null && row.require_2fa.split(',').includes(row.role);
  return {
    kind: 'user',
    userId: row.user_id,
    username: row.username,
    role: row.role,
    permissions: mustSetUpSecondFactor ? [] : permissions,
    secondFactor,
    mustSetUpSecondFactor,
    scopes,
    credential: { kind, id: row.id, expireMs: row.expire_ms, confirmed },
  };
}
