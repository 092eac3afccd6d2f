// The one rule that decides whether a caller may use an endpoint. Pure: the server enforces it, the dashboard uses it
// to leave out what would be refused.
import type { Actor, AgentActor, EnrollmentActor, UserActor } from './actor.ts';
import type { AgentPermission, EnrollmentPermission, Permission } from './permissions.ts';

/** A session with the permission that signed in, or confirmed itself, within the last minutes. */
export type ConfirmedAccess = `confirmed ${Permission}`;

/**
 * Who may call an endpoint: anybody, any signed-in person, a person by session only (what changes how they sign in),
 * whoever came with an API token, an agent for itself, whoever has the permission, or a session that has it and was
 * confirmed lately (what changes how others sign in).
 */
export type Access = 'public' | 'signed_in' | 'session' | 'api_token' | 'agent' | Permission | ConfirmedAccess;

const CONFIRMED = 'confirmed ';

/** True for an access that lets in confirmed sessions only. */
export const isConfirmedAccess = (access: Access): access is ConfirmedAccess => access.startsWith(CONFIRMED);

/** The permission that an access asks for; undefined where it asks for none. */
export function permissionFor(access: Access): Permission | undefined {
  if (!access.includes(':')) return undefined;
  return (isConfirmedAccess(access) ? access.slice(CONFIRMED.length) : access) as Permission;
}

/** What {@link can} needs to know of a caller. */
export type Subject =
  | Pick<AgentActor | EnrollmentActor, 'kind' | 'permissions'>
  | (Pick<UserActor, 'kind' | 'permissions'> & { readonly credential: Pick<UserActor['credential'], 'kind'> });

/**
 * True where the caller (`null` = nobody) may use an endpoint with this access. Does not look at how long ago a session
 * was confirmed: its owner can confirm it at any time.
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

/** The caller that an endpoint with this access can have. */
export type ActorFor<A extends Access> = A extends 'public'
  ? Actor | null
  : A extends 'agent'
    ? AgentActor
    : A extends AgentPermission
      ? UserActor | AgentActor
      : A extends EnrollmentPermission
        ? UserActor | EnrollmentActor
        : UserActor;
