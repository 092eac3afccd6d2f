// Scopes of an API token in the database: permissions with spaces between.
import { PERMISSIONS, type Permission, permissionsOf, permissionsWithin } from '@quarterdeck/core';

/** Text for "no scope"; an empty text means all permissions of the owner. No permission has this name. */
const NONE = 'none';

/** Formats scopes for the database, in one order, so that equal scopes are equal texts. */
export function formatScopes(scopes: readonly Permission[] | null): string {
  if (scopes === null) return '';
  return PERMISSIONS.filter((permission) => scopes.includes(permission)).join(' ') || NONE;
}

/** Parses scopes from the database; null = none were chosen. A word that is no permission allows nothing. */
export function readScopes(text: string): readonly Permission[] | null {
  if (text === '') return null;
  const words = text.split(' ');
  return PERMISSIONS.filter((permission) => words.includes(permission));
}

/** Scopes and permissions of a credential. */
interface Grant {
  readonly scopes: readonly Permission[] | null;
  readonly permissions: readonly Permission[];
}

/** Size of the cache: every request needs a grant, and roles and sets of scopes are few. */
const CACHE_MAX = 5000;
const cache = new Map<string, Grant>();

/** Returns the permissions of a role within the scopes of a token, and within a filter of sources; empty is none. */
export function grantOf(role: string, scopesText: string, errlogFilter: string): Grant {
  const isRestricted = errlogFilter !== '';
  const key = `${role}\n${scopesText}\n${isRestricted}`;
  let grant = cache.get(key);
  if (grant === undefined) {
    const scopes = readScopes(scopesText);
    const ofRole = permissionsWithin(permissionsOf(role), errlogFilter);
    grant = { scopes, permissions: scopes === null ? ofRole : ofRole.filter((one) => scopes.includes(one)) };
    if (cache.size >= CACHE_MAX) cache.clear();
    cache.set(key, grant);
  }
  return grant;
}
