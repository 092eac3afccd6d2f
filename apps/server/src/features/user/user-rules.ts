// Rules about changing users, beyond the permission. Each rule returns or throws.
import { AppError, missingPermission, permissionsOf, ROLE_NAMES, type UserActor } from '@quarterdeck/core';
import { notePermissions } from '../../auth/require-permissions.ts';
import { isManager } from './user.repo.ts';

/**
 * Requires a session that signed in or confirmed itself within the last minutes. An API token never qualifies.
 *
 * @throws AppError `reauthentication_required`, `forbidden` for an API token
 */
export function checkConfirmed({ credential }: UserActor): void {
  if (credential.kind !== 'session')
    throw new AppError('forbidden', { detail: 'This endpoint needs a session. Sign in.' });
  if (!credential.confirmed) throw new AppError('reauthentication_required');
}

/**
 * Requires a recent confirmation of a session that changes another user. An API token needs none, because its scope was
 * given for that; nor do changes to the caller's own account.
 *
 * @throws AppError `reauthentication_required`
 */
export function checkConfirmedSession(actor: UserActor, userId: number): void {
  if (actor.credential.kind === 'session' && actor.userId !== userId) checkConfirmed(actor);
}

/**
 * Refuses changes to the caller's own password or second factor: those need the password, at `path`.
 *
 * @throws AppError `forbidden`
 */
export function checkIsOther(actor: UserActor, userId: number, what: string, path: string): void {
  if (actor.userId !== userId) return;
  throw new AppError('forbidden', { message: `Your own ${what} cannot be changed here: use ${path}.` });
}

const LEAST_ROLE = ROLE_NAMES[ROLE_NAMES.length - 1] ?? '';

/**
 * Requires what a caller needs to let somebody sign in with a role. A role that manages users needs a confirmed
 * session. An API token gives no permission that it lacks, except those of the least role: without them `user:write`
 * would allow nothing.
 *
 * @throws AppError `reauthentication_required`, `forbidden`, `scope_missing`
 */
export function checkMayGive(actor: UserActor, role: string): void {
  checkMayTake(actor, role);
  if (isManager(role) || actor.credential.kind === 'session') return;
  const beyond = missingPermission([...actor.permissions, ...permissionsOf(LEAST_ROLE)], permissionsOf(role));
  if (beyond === undefined) {
    notePermissions(
      actor,
      permissionsOf(role).filter((one) => !permissionsOf(LEAST_ROLE).includes(one)),
    );
    return;
  }
  throw new AppError('scope_missing', {
    message: `A user of the role ${role} may do more than this API token: it needs the scope ${beyond}.`,
  });
}

/**
 * Requires a confirmed session to take the role, or the access, of a user who manages users.
 *
 * @throws AppError `reauthentication_required`, `forbidden` for an API token
 */
export function checkMayTake(actor: UserActor, role: string): void {
  if (isManager(role)) checkConfirmed(actor);
}

/** Rank of a role, most powerful first; an unknown name comes last. */
const rankOf = (role: string): number => {
  const rank = (ROLE_NAMES as readonly string[]).indexOf(role);
  return rank === -1 ? ROLE_NAMES.length : rank;
};

/** True where the first role is more powerful than the second. */
export const isAbove = (role: string, other: string): boolean => rankOf(role) < rankOf(other);

/**
 * Refuses to give a role above the caller's, or to change a user who has one.
 *
 * @throws AppError `forbidden`
 */
export function checkRole(actor: UserActor, role: string): void {
  if (!isAbove(role, actor.role)) return;
  throw new AppError('forbidden', { message: `The role ${role} is above your role, ${actor.role}.` });
}
