// Scopes of an API token as the database has them: permissions with spaces between.
import { PERMISSIONS, type Permission, permissionsOf } from '@quarterdeck/core';

/** Stands for "none at all", as empty text stands for "all of the owner's". No permission is called so. */
const NONE = 'none';

/** Scopes for the database; in one order, so that equal ones are equal text. */
export function storeScopes(scopes: readonly Permission[] | null): string {
  if (scopes === null) return '';
  return PERMISSIONS.filter((permission) => scopes.includes(permission)).join(' ') || NONE;
}

/** Scopes from the database; null = none were chosen. A word that is no permission (any more) allows nothing. */
export function readScopes(text: string): readonly Permission[] | null {
  if (text === '') return null;
  const words = text.split(' ');
  return PERMISSIONS.filter((permission) => words.includes(permission));
}

/** What a credential comes to. */
interface Grant {
  readonly scopes: readonly Permission[] | null;
  readonly permissions: readonly Permission[];
}

/** There are few roles and few sets of scopes, and this is asked on every request. */
const CACHE_MAX = 5000;
const cache = new Map<string, Grant>();

/** What a user of a role may do with a token of these scopes: never more than the role allows now. */
export function grantOf(role: string, scopesText: string): Grant {
  const key = `${role}\n${scopesText}`;
  let grant = cache.get(key);
  if (grant === undefined) {
    const scopes = readScopes(scopesText);
    const ofRole = permissionsOf(role);
    grant = { scopes, permissions: scopes === null ? ofRole : ofRole.filter((one) => scopes.includes(one)) };
    if (cache.size >= CACHE_MAX) cache.clear();
    cache.set(key, grant);
  }
  return grant;
}
