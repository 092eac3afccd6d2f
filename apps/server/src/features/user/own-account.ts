// Endpoints about the caller's own account: profile, confirmation, password and sessions.
import { AppError, CONFIRMED_FOR_MS, type contract, type Service, sliceOf, type UserActor } from '@quarterdeck/core';
import { networkOf } from '@quarterdeck/core/addresses';
import { checkPassword } from '../../auth/password-rules.ts';
import type { CallContext } from '../call-context.ts';
import { checkWindow } from '../page-window.ts';
import type { CheckCredentials } from './credentials-check.ts';
import { isKnownNetwork, recordNetwork, removeNetworks } from './known-address.repo.ts';
import type { UserNeeds } from './needs.ts';
import type { AuthRequest, PasswordCheck } from './password-check.ts';
import {
  confirmSession,
  currentSession,
  findProvider,
  listSessions,
  removeSession,
  removeSessions,
} from './session.repo.ts';
import { findUserById, hasSecondFactor, lockUser, setPassword } from './user.repo.ts';

type OwnAccount = Pick<
  Service<(typeof contract)['user'], CallContext>,
  'me' | 'confirm' | 'changePassword' | 'sessions' | 'removeSession' | 'removeOtherSessions'
>;

/** Builds the authentication request of a signed-in user who has to show the password again. */
export async function reauthRequest(
  { db, now }: Pick<UserNeeds, 'db' | 'now'>,
  actor: UserActor,
  request: CallContext['request'],
  purpose: string,
): Promise<AuthRequest> {
  const user = await findUserById(db.read, actor.userId);
  const username = user?.username ?? actor.username;
  const known = await isKnownNetwork(db.read, username, networkOf(request.address), now());
  return { username, user, known, request, purpose };
}

/** Creates the endpoints. */
export function ownAccount(
  deps: UserNeeds,
  passwordCheck: PasswordCheck,
  checkCredentials: CheckCredentials,
): OwnAccount {
  const { db, passwords, audit, now, sessionIdle } = deps;
  return {
    async me({ actor }) {
      const { kind, id, expireMs } = actor.credential;
      // A link shows what it is about, and not its author.
      if (kind === 'link') throw new AppError('forbidden');
      const provider = kind === 'session' ? await findProvider(db.read, id) : undefined;
      return {
        id: actor.userId,
        username: actor.username,
        role: actor.role,
        permissions: [...actor.permissions],
        second_factor: actor.secondFactor,
        must_set_up_second_factor: actor.mustSetUpSecondFactor,
        credential: { kind, id, expire: expireMs },
        ...(provider === undefined ? {} : { provider }),
        ...(actor.errlogFilter === '' ? {} : { errlog_filter: actor.errlogFilter }),
      };
    },

    async confirm({ body, actor, request }) {
      const auth = await reauthRequest(deps, actor, request, 'confirmation');
      const { id } = actor.credential;
      const confirmedMs = await checkCredentials(auth, body, async (tx, user, used) => {
        const nowMs = now();
        if (!(await confirmSession(tx, user.id, id, nowMs))) return undefined;
        const target = { kind: 'session', id };
        await audit.record(tx, { action: 'user.confirm', actor, request, target, detail: { second_factor: used } });
        return nowMs;
      });
      // The session has ended in the meantime.
      if (confirmedMs === undefined) throw new AppError('credential_invalid');
      return { until: confirmedMs + CONFIRMED_FOR_MS };
    },

    async changePassword({ body, actor, request }) {
      await checkPassword(body.password, actor);
      const auth = await reauthRequest(deps, actor, request, 'password_change');
      const user = await passwordCheck.confirm(auth, body.current_password);
      const passwordHash = await passwords.hash(body.password);
      const done = await db.write(async (tx) => {
        const current = await lockUser(tx, user.id);
        // The minimum length depends on the second factor, so it must not have changed either.
        if (current?.passwordHash !== user.passwordHash || hasSecondFactor(current) !== actor.secondFactor)
          return false;
        await setPassword(tx, user.id, passwordHash, now());
        const ended = await removeSessions(tx, user.id, currentSession(actor));
        // Others who know the old password may have signed in from these networks.
        await removeNetworks(tx, user.id);
        await recordNetwork(tx, user.id, networkOf(request.address), now());
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
