// Opens a session, for every way to sign in.
import { type LoginResult, loginTime, type UserActor } from '@quarterdeck/core';
import { networkOf } from '@quarterdeck/core/addresses';
import type { Tx } from '@quarterdeck/core/db';
import { newSecret } from '../../auth/secrets.ts';
import type { CallContext } from '../call-context.ts';
import { recordNetwork } from './known-address.repo.ts';
import type { UserNeeds } from './needs.ts';
import { createSession, removeSessionsBeyond } from './session.repo.ts';
import { hasSecondFactor, type UserRow } from './user.repo.ts';

const HOUR_MS = 3_600_000;
/** Specification section 8. */
export const SESSION_MS = 8 * HOUR_MS;
const SESSION_REMEMBERED_MS = 31 * 24 * HOUR_MS;
/** Live sessions of one user; a sign-in beyond ends the oldest one. The official client never signs out. */
const SESSIONS_MAX = 100;

/** Facts about a sign-in. */
export interface Opening {
  readonly user: UserRow;
  readonly request: CallContext['request'];
  readonly remember: boolean;
  /** Unix milliseconds beyond which the session must not last; absent = no such limit. */
  readonly untilMs?: number;
  /** Time at which the person last proved who they are; absent = now. */
  readonly confirmedMs?: number;
  /** The sign-in at a provider; null for a password. */
  readonly ssoId: number | null;
  /** The provider has checked a second factor. */
  readonly secondFactor: boolean;
  /** Facts for the audit log, beside those of every sign-in. */
  readonly detail: Readonly<Record<string, unknown>>;
}

type OpenDeps = Pick<UserNeeds, 'key' | 'audit' | 'now' | 'sessionIdle'>;

/** Stores a session in the write that accepts a sign-in, and returns the result of the sign-in with its secret. */
export async function openSession(deps: OpenDeps, tx: Tx, opening: Opening): Promise<LoginResult> {
  const { key, audit, now, sessionIdle } = deps;
  const { user, request, remember, untilMs, ssoId, secondFactor, detail } = opening;
  const token = newSecret('session');
  const createdMs = now();
  const lastMs = createdMs + (remember ? SESSION_REMEMBERED_MS : SESSION_MS);
  const expireMs = Math.min(lastMs, untilMs ?? lastMs);
  const confirmedMs = Math.min(opening.confirmedMs ?? createdMs, createdMs);
  await recordNetwork(tx, user.id, networkOf(request.address), createdMs);
  const { address, client } = request;
  const tokenHash = key.digest(token);
  const session = { userId: user.id, tokenHash, remember, address, client, createdMs, expireMs };
  const id = await createSession(tx, { ...session, confirmedMs, ssoId, secondFactor });
  const ended = await removeSessionsBeyond(tx, sessionIdle, user.id, SESSIONS_MAX, createdMs);
  await audit.record(tx, {
    action: 'user.login',
    actor: actorOf(user, { kind: 'session', id, name: '', errlogFilter: '', expireMs, confirmed: true }),
    request,
    target: { kind: 'user', id: user.id },
    detail: { remember, ...detail, ...(ended === 0 ? {} : { ended }) },
  });
  return loginResult(user, token, expireMs);
}

/** Actor of a user by one of their sessions, for the audit log, which records no permissions. */
export const actorOf = (user: UserRow, credential: UserActor['credential']): UserActor => ({
  kind: 'user',
  userId: user.id,
  username: user.username,
  role: user.role,
  permissions: [],
  secondFactor: hasSecondFactor(user),
  mustSetUpSecondFactor: false,
  scopes: null,
  errlogFilter: user.errlogFilter,
  credential,
});

function loginResult(user: UserRow, token: string, expire: number): LoginResult {
  return {
    _created_unix: loginTime(Number(user.createdMs)),
    _modified_unix: loginTime(Number(user.modifiedMs)),
    username: user.username,
    'edge-token': token,
    token,
    expire,
    id: user.id,
    role: user.role,
    login_2fa: hasSecondFactor(user) ? { enabled: true, method: 'totp' } : {},
  };
}
