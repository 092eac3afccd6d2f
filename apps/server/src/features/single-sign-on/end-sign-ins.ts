// Ends sign-ins at a provider, with all sessions behind them: the provider says so, or no longer vouches for the
// person.
import { NO_ROLE } from '@quarterdeck/core';
import { findUserById, lockUsers } from '../user/user.repo.ts';
import { endSignIns } from './identity.repo.ts';
import type { SingleSignOnNeeds } from './needs.ts';
import { applyRole } from './person.ts';

type EndDeps = Pick<SingleSignOnNeeds, 'db' | 'audit' | 'events' | 'now'>;

/** Why they end; for the audit log. `claims`: the provider gives the person no access any more. */
export type EndReason = 'claims' | 'refused' | 'logout' | 'provider_removed';

/** Ends sign-ins. `takesRole`: their users lose the role that the provider gave. Returns how many sign-ins ended. */
export async function endAtProvider(
  deps: EndDeps,
  which: Parameters<typeof endSignIns>[1] & { readonly provider: string },
  reason: EndReason,
  takesRole = false,
): Promise<number> {
  const { db, audit, events } = deps;
  const { provider } = which;
  return db.write(async (tx) => {
    await lockUsers(tx);
    const { userIds, count } = await endSignIns(tx, which);
    for (const id of userIds) {
      const user = await findUserById(tx, id);
      if (user === undefined) continue;
      if (takesRole) await applyRole(deps, tx, user, NO_ROLE, provider);
      await events.publish(tx, [{ type: 'user.revoked', data: { id } }]);
      const detail = { username: user.username, provider, reason };
      await audit.record(tx, { action: 'user.provider_end', actor: 'system', target: { kind: 'user', id }, detail });
    }
    return count;
  });
}
