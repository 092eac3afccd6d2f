// Decides whether a caller may use an endpoint. Pure: the server enforces it, and the dashboard hides what would be
// refused.
import type { Actor, AgentActor, EnrollmentActor, UserActor } from './actor.ts';
import type { AgentPermission, EnrollmentPermission, Permission } from './permissions.ts';

/** A session with the permission that signed in, or was confirmed, within the last minutes. */
export type ConfirmedAccess = `confirmed ${Permission}`;

/**
 * Callers an endpoint accepts:
 * - `public`: anybody
 * - `signed_in`: any person
 * - `session`: a person by session, for changes of one's own sign-in
 * - `api_token`: the holder of an API token
 * - `agent`: an agent, for itself
 * - a permission: any caller that has it
 * - a confirmed permission: a recently confirmed session that has it, for changes of others' sign-in
 */
export type Access = 'public' | 'signed_in' | 'session' | 'api_token' | 'agent' | Permission | ConfirmedAccess;

const CONFIRMED = 'confirmed ';

/** True for an access that accepts confirmed sessions only. */
export const isConfirmedAccess = (access: Access): access is ConfirmedAccess => access.startsWith(CONFIRMED);

/** Permission that an access requires; undefined when it requires none. */
export function permissionFor(access: Access): Permission | undefined {
  if (!access.includes(':')) return undefined;
  return (isConfirmedAccess(access) ? access.slice(CONFIRMED.length) : access) as Permission;
}

/** Properties of a caller that {@link can} needs. */
export type Subject =
  | Pick<AgentActor | EnrollmentActor, 'kind' | 'permissions'>
  | (Pick<UserActor, 'kind' | 'permissions'> & { readonly credential: Pick<UserActor['credential'], 'kind'> });

/**
 * Reports whether the caller (`null` = nobody) may use an endpoint with this access. It ignores the age of the
 * confirmation, because the owner can confirm a session at any time.
 */
export function can(subject: Subject | null, access: Access): boolean {
  if (access === 'public') return true;
  if (subject === null) return false;
  if (access === 'signed_in') return subject.kind === 'user';
  if (access === 'session' || access === 'api_token') {
    return subject.kind === 'user' && subject.credential.kind === access;
  }
  if (access === 'agent') return subject.kind === 'agent';
  if (isConfirmedAccess(access) && !can(subject, 'session')) return false;
  const permission = permissionFor(access);
  return permission !== undefined && subject.permissions.includes(permission);
}

/** Type of the caller that an endpoint with this access can have. */
export type ActorFor<A extends Access> = A extends 'public'
  ? Actor | null
  : A extends 'agent'
    ? AgentActor
    : A extends AgentPermission
      ? UserActor | AgentActor
      : A extends EnrollmentPermission
        ? UserActor | EnrollmentActor
        : UserActor;
