// Rights of those whose work goes on without them: authors of rules and of the events of channels (decision 071).
import { bothSourceFilters, missingPermission, type Permission, type UserActor } from '@quarterdeck/core';
import { statement, type Tx } from '@quarterdeck/core/db';
import { inJson } from '@quarterdeck/core/sql';
import { formatScopes, grantOf } from './token-scopes.ts';

/** Columns of a row that name its author. */
export interface AuthorColumns {
  /** Id of the user; 0 = unknown. */
  readonly authorId: number;
  /** API token of the request; 0 for a session. */
  readonly authorTokenId: number;
  /** Scopes of that token, which hold once it no longer exists. */
  readonly authorScopes: string;
  /** Filter of the sources of that token, which never changes; empty is all of the user's. */
  readonly authorFilter: string;
}

/** The columns of a row that a caller creates or changes. */
export const authorOf = ({ userId, scopes, credential }: UserActor): AuthorColumns => ({
  authorId: userId,
  authorTokenId: credential.kind === 'api_token' ? credential.id : 0,
  authorScopes: formatScopes(scopes),
  authorFilter: credential.errlogFilter,
});

/** The present rights of an author. */
export interface Author {
  readonly permissions: readonly Permission[];
  /** Reason for which there are none at all, as a sentence; undefined where there are some. */
  readonly lost: string | undefined;
  readonly username: string;
  /** Sources that the author may see now, in the filter language; empty is all. */
  readonly errlogFilter: string;
}

/** True where messages of an author may compare hosts: one who sees a part of the sources knows no other hosts. */
export const showsAgentsTo = ({ permissions, errlogFilter }: Author): boolean =>
  permissions.includes('agent:read') && errlogFilter === '';

const USERS = statement(
  (dialect) =>
    `SELECT id, username, role, disabled, errlog_filter AS "errlogFilter" FROM "user" WHERE ${inJson(dialect, 'id')}`,
);
const TOKENS = statement((dialect) => `SELECT id, scopes, disabled FROM api_token WHERE ${inJson(dialect, 'id')}`);

interface UserRights {
  readonly id: number;
  readonly username: string;
  readonly role: string;
  readonly disabled: number;
  readonly errlogFilter: string;
}
interface TokenRights {
  readonly id: number;
  readonly scopes: string;
  readonly disabled: number;
}

const none = (lost: string, username = ''): Author => ({ permissions: [], lost, username, errlogFilter: '' });

/**
 * Reads the present rights of the authors of some rows: those of the role, within the scopes of the API token. A token
 * that was disabled or deleted gives none, an expired one still does: what it made outlives it.
 */
export async function readAuthors(
  { sql }: Tx,
  rows: readonly AuthorColumns[],
): Promise<(row: AuthorColumns) => Author> {
  const idsOf = (column: 'authorId' | 'authorTokenId') =>
    JSON.stringify([...new Set(rows.map((row) => row[column]).filter((id) => id > 0))]);
  const hasTokens = rows.some(({ authorTokenId }) => authorTokenId > 0);
  const users = rows.length === 0 ? [] : await sql.all<UserRights>(USERS, idsOf('authorId'));
  const tokens = hasTokens ? await sql.all<TokenRights>(TOKENS, idsOf('authorTokenId')) : [];
  const userOf = new Map(users.map((user) => [user.id, user]));
  const tokenOf = new Map(tokens.map((token) => [token.id, token]));
  return ({ authorId, authorTokenId, authorScopes, authorFilter }) => {
    const user = userOf.get(authorId);
    if (user === undefined) return none('Its author was deleted.');
    const { username } = user;
    if (user.disabled) return none(`Its author, ${username}, is disabled.`, username);
    const token = tokenOf.get(authorTokenId);
    if (authorTokenId > 0 && (token === undefined || token.disabled)) {
      return none(`The API token with which ${username} made it was disabled or deleted.`, username);
    }
    const errlogFilter = bothSourceFilters(user.errlogFilter, authorFilter);
    const { permissions } = grantOf(user.role, token?.scopes ?? authorScopes, errlogFilter);
    return { permissions, lost: undefined, username, errlogFilter };
  };
}

/** Reason for which the work of an author stops, as a sentence; undefined where it goes on. */
export function whyStopped({ permissions, lost, username }: Author, needs: readonly Permission[]): string | undefined {
  if (lost !== undefined) return lost;
  const missing = missingPermission(permissions, needs);
  return missing && `Its author, ${username}, no longer has the permission ${missing}.`;
}

// The deletion of an expired token tidies up, and revokes nothing: its rules outlive it.
const RELEASES = ['alert_rule', 'webhook'].map((table) =>
  statement(
    `UPDATE ${table} SET author_scopes = (SELECT t.scopes FROM api_token t WHERE t.id = author_token_id),
       author_token_id = 0
     WHERE author_token_id IN (SELECT t.id FROM api_token t WHERE t.id = ? AND t.expire_ms > 0 AND t.expire_ms <= ?)`,
  ),
);

/** Prepares the deletion of an API token: what it made goes on where it has expired, and stops otherwise. */
export async function releaseExpiredAuthor({ sql }: Tx, tokenId: number, nowMs: number): Promise<void> {
  for (const release of RELEASES) await sql.run(release, tokenId, nowMs);
}
