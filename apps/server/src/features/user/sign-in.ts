// Signing in and out.
import { AppError, type contract, type LoginResult, loginTime, type Service, type UserActor } from '@quarterdeck/core';
import type { Door } from '@quarterdeck/core/db';
import { newSecret } from '../../auth/secrets.ts';
import type { Attempt, Throttle } from '../../auth/throttle.ts';
import { networkOf } from '../../auth/throttle-keys.ts';
import type { CallContext, Deps } from '../../deps.ts';
import { type CodeResult, spendCode } from './codes.ts';
import { type Claim, type FailureReason, type GuardedPassword, NETWORK_KNOWN_MS } from './guarded-password.ts';
import { createSession, rememberNetwork, removeSession, removeSessionsBeyond } from './session.repo.ts';
import { findToSignIn, hasSecondFactor, holdUser, isSameProof, isUsable, type UserRow } from './user.repo.ts';

const HOUR_MS = 3_600_000;
/** Specification section 8. */
const SESSION_MS = 8 * HOUR_MS;
const SESSION_REMEMBERED_MS = 31 * 24 * HOUR_MS;
/** Sessions of one user. The official client signs in every hour and never out: for each of them, the oldest one ends. */
const SESSIONS_MAX = 100;

/** Whether a sign-in is one, and with which second factor. */
type Verdict = CodeResult | { readonly used: 'none' } | { readonly refused: FailureReason };

type SignIn = Pick<Service<(typeof contract)['user'], CallContext>, 'login' | 'logout'>;
type LoginCall = Parameters<SignIn['login']>[0];

export function signIn(deps: Deps, throttle: Throttle, guard: GuardedPassword): SignIn {
  const { db, key, audit, now } = deps;

  /** The right password alone is no sign-in: says so, and remembers that somebody has it. */
  async function askForCode(claim: Claim, user: UserRow, attempt: Attempt): Promise<never> {
    await db.write(async (tx) => {
      await throttle.giveBack(tx, attempt);
      await audit.record(tx, {
        action: 'user.login_otp_required',
        actor: null,
        request: claim.request,
        target: { kind: 'user', id: user.id },
        detail: { username: user.username },
      });
    });
    throw new AppError('otp_required');
  }

  /**
   * The last word, inside the write that makes the session: much may have happened while the password was computed, and
   * no session may outlive what it was made with.
   */
  async function judge(
    tx: Door,
    user: UserRow,
    still: UserRow | undefined,
    code: string | undefined,
  ): Promise<Verdict> {
    if (still === undefined || !isUsable(still) || !isSameProof(still, user)) return { refused: 'changed_meanwhile' };
    return code === undefined ? { used: 'none' } : spendCode(tx, key, still, code, now());
  }

  async function login({ body, request }: LoginCall): Promise<LoginResult> {
    const username = body.username.normalize('NFC');
    const network = networkOf(request.address);
    const { user: found, known } = await findToSignIn(db, username, network, now() - NETWORK_KNOWN_MS);
    const claim: Claim = { username, user: found, known, request, purpose: 'sign_in' };
    const { user, attempt } = await guard.check(claim, body.password);

    const code = hasSecondFactor(user) ? body.otp : undefined;
    if (hasSecondFactor(user) && (code === undefined || code === null)) return askForCode(claim, user, attempt);
    let codeAttempt: Attempt = [];
    try {
      if (hasSecondFactor(user)) codeAttempt = await guard.reserveCode(user, claim);
    } catch (error) {
      await db.write((tx) => throttle.giveBack(tx, attempt));
      throw error;
    }

    const token = newSecret('session');
    const createdMs = now();
    const remember = body.remember === true;
    const expireMs = createdMs + (remember ? SESSION_REMEMBERED_MS : SESSION_MS);
    const done = await db.write(async (tx) => {
      const verdict = await judge(tx, user, await holdUser(tx, user.id), code ?? undefined);
      if ('refused' in verdict) {
        await throttle.giveBack(tx, attempt);
        await throttle.fail(tx, codeAttempt);
        await guard.recordFailure(tx, claim, verdict.refused);
        return false;
      }
      await throttle.succeed(tx, [...attempt, ...codeAttempt]);
      await rememberNetwork(tx, user.id, network, createdMs);
      const { address, client } = request;
      const tokenHash = key.digest(token);
      const session = { userId: user.id, tokenHash, remember, address, client, createdMs, expireMs };
      const id = await createSession(tx, session);
      const ended = await removeSessionsBeyond(tx, user.id, SESSIONS_MAX, createdMs);
      await audit.record(tx, {
        action: 'user.login',
        actor: actorOf(user, { kind: 'session', id, expireMs }),
        request,
        target: { kind: 'user', id: user.id },
        detail: { remember, second_factor: verdict.used, ...(ended === 0 ? {} : { ended }) },
      });
      return true;
    });
    if (!done) throw new AppError('login_failed');
    return loginResult(user, token, expireMs);
  }

  return {
    login,

    async logout({ actor, request }) {
      const { kind, id } = actor.credential;
      if (kind !== 'session') {
        throw new AppError('bad_request', {
          message: 'Only a session can be ended; this request came with an API token.',
        });
      }
      await db.write(async (tx) => {
        await removeSession(tx, actor.userId, id);
        await audit.record(tx, { action: 'user.logout', actor, request, target: { kind: 'session', id } });
      });
      return undefined;
    },
  };
}

/** Somebody who has just signed in, for the audit log: what they may do is no matter there. */
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
    _created_unix: loginTime(user.created_ms),
    _modified_unix: loginTime(user.modified_ms),
    username: user.username,
    'edge-token': token,
    token,
    expire,
    id: user.id,
    role: user.role,
    login_2fa: hasSecondFactor(user) ? { enabled: true, method: 'totp' } : {},
  };
}
