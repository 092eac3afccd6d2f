// The door: who may use an endpoint.
import {
  type Access,
  type Actor,
  AppError,
  can,
  isConfirmedAccess,
  permissionFor,
  permissionsOf,
} from '@quarterdeck/core';
import { checkConfirmed } from '../features/user/user-rules.ts';

/**
 * Lets the caller through or throws: 401 for nobody, 403 for somebody who may not. Whoever could change that
 * themselves (with another token, with a second factor) is told how.
 */
export function authorize(access: Access, actor: Actor | null): void {
  if (can(actor, access)) {
    if (isConfirmedAccess(access) && actor?.kind === 'user') checkConfirmed(actor);
    return;
  }
  if (actor === null) throw new AppError('credential_missing');
  if (access === 'session' || (isConfirmedAccess(access) && !can(actor, 'session')))
    throw new AppError('forbidden', { detail: 'This needs a session: sign in.' });
  if (access === 'api_token') throw new AppError('forbidden', { detail: 'This needs an API token.' });
  const permission = permissionFor(access);
  if (permission === undefined) throw new AppError('forbidden');
  if (actor.kind === 'user' && permissionsOf(actor.role).includes(permission)) {
    if (actor.mustSetUpSecondFactor) throw new AppError('second_factor_demanded');
    throw new AppError('scope_missing', { detail: `This needs the scope ${permission}.` });
  }
  throw new AppError('forbidden', { detail: `This needs the permission ${permission}.` });
}
