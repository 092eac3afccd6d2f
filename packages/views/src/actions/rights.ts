// The actions that a user has, and the reasons why others are refused, as sentences for the screen.
import { type Access, can, permissionFor, permissionsOf, rolesWith, type Subject } from '@quarterdeck/core/plain';

/** The facts of a user that decide what they may run. */
export interface Caller {
  readonly role: string;
  readonly permissions: Extract<Subject, { kind: 'user' }>['permissions'];
  readonly credential: { readonly kind: 'session' | 'api_token' };
  readonly must_set_up_second_factor: boolean;
}

/** Returns why the access refuses the user. */
function accessRefusal(access: Access, { role, credential, must_set_up_second_factor: mustSetUp }: Caller): string {
  if (mustSetUp) return 'Set up your second factor first.';
  const permission = permissionFor(access);
  const isToken = credential.kind === 'api_token';
  if (permission === undefined || permissionsOf(role).includes(permission)) {
    if (!isToken) return 'You may not run this command.';
    // An access that the scopes of the token allow still refuses a token where it demands a session.
    return permission === undefined || access !== permission
      ? 'Needs a sign-in with a password; this is an API token.'
      : `This token lacks the scope ${permission}.`;
  }
  return `Needs the role ${rolesWith(permission).at(-1) ?? 'master'}.`;
}

/** The part of an action that rights depend on. */
export interface Restricted {
  /** Access rule of its endpoint. */
  readonly access?: Access;
  /** Set if it changes something on the server. */
  readonly changes?: true;
}

/** Returns a user as `can` of core takes it. */
export const subjectOf = ({ permissions, credential }: Pick<Caller, 'permissions' | 'credential'>): Subject => ({
  kind: 'user',
  permissions,
  credential,
});

/** Returns why a user may not run an action; null if they may. */
export function refusalOf({ access, changes }: Restricted, caller: Caller | null, readOnly: boolean): string | null {
  if (access !== undefined && !can(caller && subjectOf(caller), access)) {
    return caller === null ? 'Sign in first.' : accessRefusal(access, caller);
  }
  return changes === true && readOnly ? 'This profile is read-only.' : null;
}
