import { type Actor, missingPermission, type Permission, shownAlert, type UserActor } from '@quarterdeck/core';
import { authorize } from '@quarterdeck/express/parts';

/**
 * Requires permissions beside that of the endpoint: those of the data that a request is about.
 *
 * @throws AppError `scope_missing`, `forbidden`
 */
export function requirePermissions(actor: UserActor, needs: readonly Permission[]): void {
  for (const need of needs) authorize(need, actor);
}

/** A caller as far as its permissions matter. */
type Caller = Pick<Actor, 'permissions'> & Pick<UserActor, 'noteUse'>;

/**
 * Tells whether a caller has permissions that a part of its request needs, such as data that is left out of an answer
 * without them. Counts them as used where it has.
 */
export function hasPermissions(actor: Caller, needs: readonly Permission[]): boolean {
  if (missingPermission(actor.permissions, needs) !== undefined) return false;
  notePermissions(actor, needs);
  return true;
}

/** Counts permissions as used: without them, the answer would be another one. */
export function notePermissions({ noteUse }: Caller, needs: readonly Permission[]): void {
  if (noteUse !== undefined) for (const need of needs) noteUse(need);
}

/** Removes from an alert what its reader may not read. Counts the permission for agents as used where it has some. */
export function showAlert<Shown extends Parameters<typeof shownAlert>[1]>(actor: Caller, alert: Shown): Shown {
  if (alert.cause || alert.hosts) hasPermissions(actor, ['agent:read']);
  return shownAlert(actor.permissions, alert);
}
