// Rules about who may change what of people, beyond the permission. Each rule returns or throws.
import { AppError, ROLE_NAMES, type UserActor } from '@quarterdeck/core';

/**
 * A session has signed in, or confirmed itself, within the last minutes. An API token never has.
 *
 * @throws AppError `reauthentication_required`, `forbidden` for an API token
 */
export function checkConfirmed({ credential }: UserActor): void {
  if (credential.kind !== 'session') throw new AppError('forbidden', { detail: 'This needs a session: sign in.' });
  if (!credential.confirmed) throw new AppError('reauthentication_required');
}

/**
 * A session that changes what somebody else may do at all was confirmed lately. An API token may do it without: its
 * scope was given for that. So may everybody to themselves.
 *
 * @throws AppError `reauthentication_required`
 */
export function checkConfirmedSession(actor: UserActor, userId: number): void {
  if (actor.credential.kind === 'session' && actor.userId !== userId) checkConfirmed(actor);
}

/**
 * The user is somebody else: the own password and second factor are changed with the password, at `path`.
 *
 * @throws AppError `forbidden`
 */
export function checkIsOther(actor: UserActor, userId: number, what: string, path: string): void {
  if (actor.userId !== userId) return;
  throw new AppError('forbidden', { message: `Your own ${what} cannot be changed here: use ${path}.` });
}

/** Place of a role, most powerful first; a name that is no role comes last. */
const rankOf = (role: string): number => {
  const rank = (ROLE_NAMES as readonly string[]).indexOf(role);
  return rank === -1 ? ROLE_NAMES.length : rank;
};

/** True where the first role is more powerful than the second. */
export const isAbove = (role: string, other: string): boolean => rankOf(role) < rankOf(other);

/**
 * Nobody gives a role above the own one, or changes somebody who has one.
 *
 * @throws AppError `forbidden`
 */
export function checkRole(actor: UserActor, role: string): void {
  if (!isAbove(role, actor.role)) return;
  throw new AppError('forbidden', { message: `The role ${role} is above yours, ${actor.role}.` });
}
