// Identifies the caller of a request by its credential. Each request looks its credential up in the database, so a
// revoked one is refused at once by every server process.
import type { IncomingHttpHeaders } from 'node:http';
import {
  type Actor,
  AGENT_PERMISSIONS,
  AppError,
  bothSourceFilters,
  CONFIRMED_FOR_MS,
  type CredentialKind,
  ENROLLMENT_PERMISSIONS,
  PERMISSIONS,
  type TokenKind,
  type UserActor,
} from '@quarterdeck/core';
import { addressWithin } from '@quarterdeck/core/addresses';
import { readCredential } from '@quarterdeck/express/parts';
import { generationOf, isSentryKey, readSecretKind, type SecretKey } from '../auth/secrets.ts';
import type { SessionIdle } from '../auth/session-idle.ts';
import { grantOf } from '../auth/token-scopes.ts';
import type { SeenAgent } from '../features/agent/agent.presence.ts';
import type { HashColumn } from '../features/api-token/credential-use.repo.ts';
import type { CredentialUse } from '../features/api-token/credential-use.ts';
import type { CallContext } from '../features/call-context.ts';
import type { LinkSubject } from '../features/link/link.repo.ts';
import { clientOf } from './caller.ts';
import {
  type CredentialReader,
  findAgent,
  findApiToken,
  findEnrollment,
  findLink,
  findReplacedAgent,
  findReplacedApiToken,
  findSession,
  type Hashes,
  type SessionCredential,
  type TokenCredential,
  type UserCredential,
} from './credential.repo.ts';

/**
 * Identifies the caller of a request from an address; null where it brings no credential.
 *
 * @throws AppError 401 for an invalid credential, {@link AddressRefusal} for one that is valid from other addresses
 */
export type Identify = (headers: IncomingHttpHeaders, address: string, requestId: string) => Promise<Actor | null>;

/** Identifies the sender of a request by the key of its DSN. Throws as {@link Identify}. */
export type IdentifySentry = (
  key: string,
  headers: IncomingHttpHeaders,
  address: string,
  requestId: string,
) => Promise<UserActor>;

/** Identifies the holder of a read-only link as its author. Throws as {@link Identify}. */
export type IdentifyLink = (
  key: string,
  headers: IncomingHttpHeaders,
  address: string,
  requestId: string,
) => Promise<LinkSubject & { readonly actor: UserActor }>;

/** Refuses a valid API token from an address outside its blocks. Unlike other refusals it names the owner. */
export class AddressRefusal extends AppError {
  readonly actor: UserActor;

  constructor(actor: UserActor) {
    super('address_not_allowed');
    this.actor = actor;
  }
}

/** Dependencies of {@link createIdentify}. */
interface IdentifyDeps {
  readonly db: { readonly read: CredentialReader };
  readonly key: SecretKey;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly sessionIdle: Pick<SessionIdle, 'endedBeforeMs'>;
  readonly credentials: Pick<CredentialUse, 'used' | 'needed' | 'lastNoted' | 'reused' | 'moved'>;
  /** Asks the provider behind a session again, where that is due; true where the session may differ from before. */
  readonly verifySignIn: (ssoId: number, dueMs: number) => Promise<boolean>;
  /** Called with an agent whose replaced secret was used although it uses the new one. Returns at once. */
  readonly onClone: (agentId: number) => void;
}

type Caller = CallContext['request'];

/** Proofs of the person of a session: a recent sign-in or confirmation, and a second factor at a provider. */
interface Proved {
  readonly confirmed: boolean;
  readonly provedFactor: boolean;
}

/** Name, scopes and sources of an API token. */
type Grant = Pick<TokenCredential, 'name' | 'scopes' | 'ownFilter'>;
const SESSION: Grant = { name: '', scopes: '', ownFilter: '' };
/** A link reads, whatever its author may change. */
const LINK: Grant = {
  name: '',
  ownFilter: '',
  scopes: PERMISSIONS.filter((name) => !/:(?:write|enroll|erase)$/.test(name)).join(' '),
};

/** The functions that {@link createIdentify} creates. */
interface Identification {
  readonly identify: Identify;
  readonly identifySentry: IdentifySentry;
  readonly identifyLink: IdentifyLink;
}

/** Creates the functions that identify callers. */
export function createIdentify(deps: IdentifyDeps): Identification {
  const { db, key, now, sessionIdle, credentials, verifySignIn, onClone } = deps;
  const byKind: Record<CredentialKind, (hashes: Hashes, caller: Caller) => Promise<Actor>> = {
    session: async (hashes, caller) => {
      let row = await findSession(db.read, hashes);
      // The provider may have taken rights away, or ended the session.
      if (row?.ssoId && row.ssoDueMs !== null && (await verifySignIn(row.ssoId, row.ssoDueMs))) {
        row = await findSession(db.read, hashes);
      }
      if (row === undefined) throw new AppError('credential_invalid');
      if (row.expireMs <= now() || isIdle(row)) throw new AppError('session_expired');
      // The clock of the server that stored the confirmation may be a moment ahead.
      const confirmed = Math.abs(now() - row.confirmedMs) < CONFIRMED_FOR_MS;
      move('session', row, hashes);
      return accept('session', row, SESSION, caller, { confirmed, provedFactor: row.secondFactor === 1 });
    },
    api_token: (hashes, caller) => tokenOfKind('api', hashes, caller),
    agent: async (hashes): Promise<SeenAgent> => {
      const seen = await findAgent(db.read, hashes);
      if (seen === undefined) {
        const replaced = await findReplacedAgent(db.read, hashes);
        if (replaced !== undefined) onClone(replaced.id);
        throw new AppError('credential_invalid');
      }
      move('agent', seen, hashes);
      return { kind: 'agent', agentId: seen.id, permissions: AGENT_PERMISSIONS, seen };
    },
    enrollment: async (hashes) => {
      const row = await findEnrollment(db.read, hashes);
      if (row === undefined) throw new AppError('credential_invalid');
      if (row.expireMs !== 0 && row.expireMs <= now()) throw new AppError('token_expired');
      move('enrollment', row, hashes);
      return { kind: 'enrollment', enrollmentId: row.id, permissions: ENROLLMENT_PERMISSIONS };
    },
  };

  /** Accepts a token of one kind alone: the key of a DSN is public, and no other endpoint may take it. */
  async function tokenOfKind(kind: TokenKind, hashes: Hashes, caller: Caller): Promise<UserActor> {
    // A rotation moves a secret from the first column to the second, so this order misses none.
    const current = await findApiToken(db.read, hashes);
    const row = current ?? (await replacedToken(hashes, caller));
    if (row === undefined || row.disabled === 1 || row.kind !== kind) throw new AppError('credential_invalid');
    if (row.expireMs !== 0 && row.expireMs <= now()) throw new AppError('token_expired');
    if (row.allowedCidrs !== '' && !addressWithin(caller.address, row.allowedCidrs)) {
      throw new AddressRefusal(actorOf('api_token', row, row));
    }
    move(current === undefined ? 'api_token_before' : 'api_token', row, hashes);
    return accept('api_token', row, row, caller);
  }

  /** Finds the token whose replaced secret this is, while its grace lasts; reports a use after that. */
  async function replacedToken(hashes: Hashes, caller: Caller): Promise<TokenCredential | undefined> {
    const row = await findReplacedApiToken(db.read, hashes);
    if (row === undefined || row.graceUntilMs > now()) return row;
    credentials.reused(row.id, caller);
    return undefined;
  }

  /** Replaces the digest of an accepted secret that was made under the key before. */
  function move(column: HashColumn, { id, hash }: { id: number; hash?: Uint8Array }, [to]: Hashes): void {
    // With one key there is nothing to move, and the digest is not read.
    if (hash === undefined || to === undefined || generationOf(hash) >= generationOf(to)) return;
    credentials.moved({ column, id, from: hash, to });
  }

  /** True where a session was unused for too long. The last use may be in memory and not in the database yet. */
  function isIdle({ id, createdMs, lastUsedMs }: SessionCredential): boolean {
    const endedMs = sessionIdle.endedBeforeMs(now());
    return createdMs <= endedMs && lastUsedMs <= endedMs && credentials.lastNoted('session', id) <= endedMs;
  }

  function accept(
    kind: UserActor['credential']['kind'],
    row: UserCredential,
    token: Grant,
    caller: Caller,
    proved?: Proved,
  ): UserActor {
    credentials.used(kind, row.id, row.lastUsedMs, caller.address, caller.client);
    const actor = actorOf(kind, row, token, proved);
    return kind === 'api_token' ? { ...actor, noteUse: (name) => credentials.needed(row.id, name) } : actor;
  }

  return {
    identify: async (headers, address, id) => {
      const credential = readCredential(headers, readSecretKind);
      if (credential === null) return null;
      return byKind[credential.kind](key.digests(credential.secret), { id, address, client: clientOf(headers) });
    },
    identifySentry: async (secret, headers, address, id) => {
      if (!isSentryKey(secret)) throw new AppError('credential_invalid');
      return tokenOfKind('sentry', key.digests(secret), { id, address, client: clientOf(headers) });
    },
    identifyLink: async (secret, headers, address, id) => {
      if (readSecretKind(secret) !== 'link') throw new AppError('credential_invalid');
      const hashes = key.digests(secret);
      const row = await findLink(db.read, hashes);
      if (row === undefined) throw new AppError('credential_invalid');
      if (row.expireMs <= now()) throw new AppError('token_expired');
      move('link', row, hashes);
      const actor = accept('link', row, LINK, { id, address, client: clientOf(headers) });
      return { subject: row.subject as LinkSubject['subject'], subjectId: row.subjectId, actor };
    },
  };
}

/** Builds the actor of a credential, with its permissions. */
function actorOf(
  kind: UserActor['credential']['kind'],
  row: UserCredential,
  token: Grant,
  { confirmed, provedFactor }: Proved = { confirmed: false, provedFactor: false },
): UserActor {
  const errlogFilter = bothSourceFilters(row.errlogFilter, token.ownFilter);
  const { scopes, permissions } = grantOf(row.role, token.scopes, errlogFilter);
  const secondFactor = row.totpSinceMs > 0;
  const isRequired = row.require2fa?.split(',').includes(row.role) === true;
  const mustSetUpSecondFactor = isRequired && !secondFactor && !provedFactor;
  return {
    kind: 'user',
    userId: row.userId,
    username: row.username,
    role: row.role,
    permissions: mustSetUpSecondFactor ? [] : permissions,
    secondFactor,
    mustSetUpSecondFactor,
    scopes,
    errlogFilter,
    credential: {
      kind,
      id: row.id,
      name: token.name,
      errlogFilter: token.ownFilter,
      expireMs: row.expireMs,
      confirmed,
    },
  };
}
