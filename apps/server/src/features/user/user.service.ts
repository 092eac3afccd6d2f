// Signing in and out.
import { AppError, type contract, loginTime, type Service } from '@quarterdeck/core';
import { newSecret } from '../../auth/secrets.ts';
import type { CallContext, Deps } from '../../deps.ts';
import { createSession, findUser, removeSession } from './user.repo.ts';

const HOUR_MS = 3_600_000;
/** Specification section 8. */
const SESSION_MS = 8 * HOUR_MS;
const SESSION_REMEMBERED_MS = 31 * 24 * HOUR_MS;

export function userService(deps: Deps): Service<(typeof contract)['user'], CallContext> {
  const { db, key, passwords, now } = deps;
  return {
    async login({ body, request }) {
      const user = await findUser(db, body.username.normalize('NFC'));
      const usable = user === null || user.disabled ? null : user;
      const fits = await passwords.verify(usable?.passwordHash, body.password);
      if (usable === null || !fits) throw new AppError('login_failed');

      const token = newSecret('session');
      const remember = body.remember === true;
      const createdMs = now();
      const expireMs = createdMs + (remember ? SESSION_REMEMBERED_MS : SESSION_MS);
      const { address, client } = request;
      await db.write((tx) =>
        createSession(tx, {
          userId: usable.id,
          tokenHash: key.digest(token),
          remember,
          address,
          client,
          createdMs,
          expireMs,
        }),
      );
      return {
        _created_unix: loginTime(Number(usable.createdMs)),
        _modified_unix: loginTime(Number(usable.modifiedMs)),
        username: usable.username,
        'edge-token': token,
        token,
        expire: expireMs,
        id: usable.id,
        role: usable.role,
        login_2fa: {},
      };
    },

    async logout({ actor }) {
      const { kind, id } = actor.credential;
      if (kind !== 'session') {
        throw new AppError('bad_request', {
          message: 'Only a session can be ended; this request came with an API token.',
        });
      }
      await db.write((tx) => removeSession(tx, id));
      return undefined;
    },

    async me({ actor }) {
      const { kind, id, expireMs } = actor.credential;
      return {
        id: actor.userId,
        username: actor.username,
        role: actor.role,
        permissions: [...actor.permissions],
        credential: { kind, id, expire: expireMs },
      };
    },
  };
}
