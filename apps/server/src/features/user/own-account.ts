// What people see of themselves, and do with their own password and sessions.
import { AppError, CONFIRMED_FOR_MS, type contract, type Service, sliceOf, type UserActor } from '@quarterdeck/core';
import { checkPassword } from '../../auth/password-rules.ts';
import { networkOf } from '../../auth/throttle-keys.ts';
import type { CallContext, Deps } from '../../deps.ts';
import { checkWindow } from '../page-window.ts';
import { type Claim, type GuardedPassword, NETWORK_KNOWN_MS } from './guarded-password.ts';
import type { Prove } from './proof.ts';
import {
  confirmSession,
  currentSession,
  isKnownNetwork,
  listSessions,
  rememberNetwork,
  removeNetworks,
  removeSession,
  removeSessions,
} from './session.repo.ts';
import { findUserById, hasSecondFactor, holdUser, setPassword } from './user.repo.ts';

type OwnAccount = Pick<
  Service<(typeof contract)['user'], CallContext>,
  'me' | 'confirm' | 'changePassword' | 'sessions' | 'removeSession' | 'removeOtherSessions'
>;

/** What somebody who is signed in claims once more: that they are who they are. */
export async function ownClaim(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  actor: UserActor,
  request: CallContext['request'],
  purpose: string,
): Promise<Claim> {
  const user = await findUserById(db.read, actor.userId);
  const known = await isKnownNetwork(db, actor.userId, networkOf(request.address), now() - NETWORK_KNOWN_MS);
  return { username: user?.username ?? actor.username, user, known, request, purpose };
}

export function ownAccount(deps: Deps, guard: GuardedPassword, prove: Prove): OwnAccount {
  const { db, passwords, audit, now, sessionIdle } = deps;
  return {
    async me({ actor }) {
      const { kind, id, expireMs } = actor.credential;
      return {
        id: actor.userId,
        username: actor.username,
        role: actor.role,
        permissions: [...actor.permissions],
        second_factor: actor.secondFactor,
        must_set_up_second_factor: actor.mustSetUpSecondFactor,
        credential: { kind, id, expire: expireMs },
      };
    },

    async confirm({ body, actor, request }) {
      const claim = await ownClaim(deps, actor, request, 'confirmation');
      const { id } = actor.credential;
      const confirmedMs = await prove(claim, body, async (tx, user, used) => {
        const nowMs = now();
        if (!(await confirmSession(tx, user.id, id, nowMs))) return undefined;
        const target = { kind: 'session', id };
        await audit.record(tx, { action: 'user.confirm', actor, request, target, detail: { second_factor: used } });
        return nowMs;
      });
      // The session was ended in the meantime.
      if (confirmedMs === undefined) throw new AppError('credential_invalid');
      return { until: confirmedMs + CONFIRMED_FOR_MS };
    },

    async changePassword({ body, actor, request }) {
      await checkPassword(body.password, actor);
      const claim = await ownClaim(deps, actor, request, 'password_change');
      const user = await guard.confirm(claim, body.current_password);
      const passwordHash = await passwords.hash(body.password);
      const done = await db.write(async (tx) => {
        const still = await holdUser(tx, user.id);
        // The length allowed depends on the second factor; one of two changes at once has to begin anew.
        if (still?.password_hash !== user.password_hash || hasSecondFactor(still) !== actor.secondFactor) return false;
        await setPassword(tx, user.id, passwordHash, now());
        const ended = await removeSessions(tx, user.id, currentSession(actor));
        // Whoever else knew the old one is a stranger from now on.
        await removeNetworks(tx, user.id);
        await rememberNetwork(tx, user.id, networkOf(request.address), now());
        const target = { kind: 'user', id: user.id };
        await audit.record(tx, { action: 'user.password_change', actor, request, target, detail: { ended } });
        return true;
      });
      if (!done) throw new AppError('conflict');
      return undefined;
    },

    sessions: ({ query, actor }) => listSessions(db, sessionIdle, actor, checkWindow(sliceOf(query)), now()),

    async removeSession({ params, actor, request }) {
      const found = await db.write(async (tx) => {
        if (!(await removeSession(tx, actor.userId, params.id))) return false;
        const target = { kind: 'session', id: params.id };
        await audit.record(tx, { action: 'user.session_end', actor, request, target });
        return true;
      });
      if (!found) throw new AppError('not_found');
      return undefined;
    },

    async removeOtherSessions({ actor, request }) {
      await db.write(async (tx) => {
        const ended = await removeSessions(tx, actor.userId, currentSession(actor));
        const target = { kind: 'user', id: actor.userId };
        await audit.record(tx, { action: 'user.sessions_end', actor, request, target, detail: { ended } });
      });
      return undefined;
    },
  };
}
