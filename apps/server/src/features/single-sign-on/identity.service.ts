// The noun `identity`: links of people of providers to users, made by administrators.
import { AppError, type contract, type Service } from '@quarterdeck/core';
import type { CallContext } from '../call-context.ts';
import { found } from '../found.ts';
import { findUserById, lockUser } from '../user/user.repo.ts';
import { checkRole } from '../user/user-rules.ts';
import { createIdentity, findIdentity, listIdentities, removeIdentity, toIdentity } from './identity.repo.ts';
import type { SingleSignOnNeeds } from './needs.ts';

export function identityService({
  db,
  audit,
  events,
  now,
}: SingleSignOnNeeds): Service<(typeof contract)['identity'], CallContext> {
  return {
    async list({ params }) {
      if ((await findUserById(db.read, params.id)) === undefined) throw new AppError('not_found');
      const rows = await listIdentities(db.read, params.id);
      return { data: rows.map(toIdentity), meta: { count: rows.length } };
    },

    create: ({ params, body, actor, request }) =>
      db.write(async (tx) => {
        const user = found(await lockUser(tx, params.id));
        checkRole(actor, user.role);
        if ((await findIdentity(tx, body.issuer, body.subject)) !== undefined) {
          throw new AppError('conflict', {
            message: 'This person already signs in as a user. Remove that link first.',
          });
        }
        const made = await createIdentity(tx, { ...body, userId: user.id }, now());
        const target = { kind: 'user', id: user.id };
        const detail = { username: user.username, ...body };
        await audit.record(tx, { action: 'user.identity_link', actor, request, target, detail });
        return toIdentity(made);
      }),

    async remove({ params, actor, request }) {
      await db.write(async (tx) => {
        const user = found(await lockUser(tx, params.id));
        checkRole(actor, user.role);
        const removed = await removeIdentity(tx, user.id, params.identity_id);
        if (removed === null) throw new AppError('not_found');
        await events.publish(tx, [{ type: 'user.revoked', data: { id: user.id } }]);
        const target = { kind: 'user', id: user.id };
        const { issuer, subject } = removed;
        const detail = { username: user.username, issuer, subject };
        await audit.record(tx, { action: 'user.identity_unlink', actor, request, target, detail });
      });
      return undefined;
    },
  };
}
