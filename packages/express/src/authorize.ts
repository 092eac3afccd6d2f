// Authorization: decides whether a caller may use an endpoint.
import {
  type Access,
  type Actor,
  AppError,
  can,
  type Endpoint,
  isConfirmedAccess,
  isRestricted,
  permissionFor,
  permissionsOf,
} from '@quarterdeck/core';

/**
 * Returns, or throws 401 without a caller and 403 for one that may not. The 403 says how the caller can get access, for
 * example with another token or a second factor.
 */
export function authorize(access: Access, actor: Actor | null): void {
  check(access, actor);
  noteNeed(access, actor);
}

function check(access: Access, actor: Actor | null): void {
  if (can(actor, access)) {
    const mustBeConfirmed = isConfirmedAccess(access) && actor?.kind === 'user';
    if (mustBeConfirmed && !actor.credential.confirmed) throw new AppError('reauthentication_required');
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

/**
 * Authorizes a caller for an endpoint, as {@link authorize} does. It also refuses callers who see a part of the sources
 * where the endpoint is about all of them.
 */
export function authorizeFor(
  { access, narrowed, method, path }: Pick<Endpoint, 'access' | 'narrowed' | 'method' | 'path'>,
  actor: Actor | null,
): void {
  check(access, actor);
  if (!narrowed && access !== 'public' && isRestricted(actor)) {
    throw new AppError('forbidden', { detail: 'This is about all sources, and you may see a part of them.' });
  }
  noteNeed(access, actor);
  if (actor?.kind === 'user') actor.noteUse?.(`${method} ${path}`);
}

function noteNeed(access: Access, actor: Actor | null): void {
  if (actor?.kind !== 'user' || actor.noteUse === undefined) return;
  const permission = permissionFor(access);
  if (permission !== undefined) actor.noteUse(permission);
}
