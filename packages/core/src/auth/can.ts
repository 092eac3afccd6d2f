// The one rule that decides whether a caller may use an endpoint. Pure: the server enforces it, the dashboard uses it
// to leave out what would be refused.
import type { Actor, AgentActor, EnrollmentActor, UserActor } from './actor.ts';
import type { AgentPermission, EnrollmentPermission, Permission } from './permissions.ts';

/**
 * Who may call an endpoint: anybody, any signed-in person, a person by session only (what changes how they sign in),
 * whoever came with an API token, an agent for itself, or whoever has the permission.
 */
export type Access = 'public' | 'signed_in' | 'session' | 'api_token' | 'agent' | Permission;

/** What {@link can} needs to know of a caller. */
export type Subject =
  | Pick<AgentActor | EnrollmentActor, 'kind' | 'permissions'>
  | (Pick<UserActor, 'kind' | 'permissions'> & { readonly credential: Pick<UserActor['credential'], 'kind'> });

/** Whether the caller (`null` = nobody) may use an endpoint with this access. */
export function can(subject: Subject | null, access: Access): boolean {
  if (access === 'public') return true;
  if (subject === null) return false;
  if (access === 'signed_in') return subject.kind === 'user';
  if (access === 'session' || access === 'api_token') {
    return subject.kind === 'user' && subject.credential.kind === access;
  }
  if (access === 'agent') return subject.kind === 'agent';
  return subject.permissions.includes(access);
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
