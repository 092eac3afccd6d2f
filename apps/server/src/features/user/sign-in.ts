// Endpoints that sign in and out.
import { type contract, type LoginResult, loginTime, type Service, type UserActor } from '@quarterdeck/core';
import { newSecret } from '../../auth/secrets.ts';
import { networkOf } from '../../auth/throttle-keys.ts';
import type { CallContext } from '../call-context.ts';
import type { CheckCredentials } from './credentials-check.ts';
import { recordNetwork } from './known-address.repo.ts';
import type { UserNeeds } from './needs.ts';
import type { AuthRequest } from './password-check.ts';
import { createSession, removeSession, removeSessionsBeyond } from './session.repo.ts';
import { findUserToSignIn, hasSecondFactor, type UserRow } from './user.repo.ts';

const HOUR_MS = 3_600_000;
/** Specification section 8. */
const SESSION_MS = 8 * HOUR_MS;
const SESSION_REMEMBERED_MS = 31 * 24 * HOUR_MS;
/** Live sessions of one user; a sign-in beyond ends the oldest one. The official client never signs out. */
const SESSIONS_MAX = 100;

type SignIn = Pick<Service<(typeof contract)['user'], CallContext>, 'login' | 'logout'>;
type LoginCall = Parameters<SignIn['login']>[0];

/** Creates the endpoints. */
export function signIn(deps: UserNeeds, checkCredentials: CheckCredentials): SignIn {
  const { db, key, audit, now, sessionIdle } = deps;

  async function login({ body, request }: LoginCall): Promise<LoginResult> {
    const username = body.username.normalize('NFC');
    const network = networkOf(request.address);
    const { user: found, known } = await findUserToSignIn(db, username, network, now());
    const auth: AuthRequest = { username, user: found, known, request, purpose: 'sign_in' };
    const token = newSecret('session');
    return checkCredentials(auth, body, async (tx, user, used) => {
      const createdMs = now();
      const remember = body.remember === true;
      const expireMs = createdMs + (remember ? SESSION_REMEMBERED_MS : SESSION_MS);
      await recordNetwork(tx, user.id, network, createdMs);
      const { address, client } = request;
      const tokenHash = key.digest(token);
      const session = { userId: user.id, tokenHash, remember, address, client, createdMs, expireMs };
      const id = await createSession(tx, session);
      const ended = await removeSessionsBeyond(tx, sessionIdle, user.id, SESSIONS_MAX, createdMs);
      await audit.record(tx, {
        action: 'user.login',
        actor: actorOf(user, { kind: 'session', id, name: '', expireMs, confirmed: true }),
        request,
        target: { kind: 'user', id: user.id },
        detail: { remember, second_factor: used, ...(ended === 0 ? {} : { ended }) },
      });
      return loginResult(user, token, expireMs);
    });
  }

  return {
    login,

    async logout({ actor, request }) {
      const { id } = actor.credential;
      await db.write(async (tx) => {
        await removeSession(tx, actor.userId, id);
        await audit.record(tx, { action: 'user.logout', actor, request, target: { kind: 'session', id } });
      });
      return undefined;
    },
  };
}

/** Actor of a user who has just signed in, for the audit log, which records no permissions. */
const actorOf = (user: UserRow, credential: UserActor['credential']): UserActor => ({
  kind: 'user',
  userId: user.id,
  username: user.username,
  role: user.role,
  permissions: [],
  secondFactor: hasSecondFactor(user),
  mustSetUpSecondFactor: false,
  scopes: null,
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
