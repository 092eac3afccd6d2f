// Queries about the uses of API tokens. Those of a write are one prepared statement (decision 031): thousands of tokens
// may be used at once.
import { type AlertKind, alertNeeds, type EventType, type Permission, subjectNeeds } from '@quarterdeck/core';
import { statement, type Tx } from '@quarterdeck/core/db';
import { inJson } from '@quarterdeck/core/sql';

/** Uses of one name by one token: a permission, or an endpoint such as `GET /metrics`. */
export interface NamedUse {
  readonly tokenId: number;
  readonly name: string;
  readonly count: number;
  /** Unix milliseconds of the last one. */
  readonly lastMs: number;
}

// Several servers count the same token, so counts are added. A token may have been deleted since.
const ADD = statement({
  sqlite: `INSERT INTO api_token_use (token_id, name, count, last_ms)
     SELECT t.id, u.value ->> 1, u.value ->> 2, u.value ->> 3 FROM json_each(?) u JOIN api_token t ON t.id = u.value ->> 0
     WHERE true
     ON CONFLICT (token_id, name) DO UPDATE
     SET count = count + excluded.count, last_ms = max(last_ms, excluded.last_ms)`,
  postgresql: `INSERT INTO api_token_use AS kept (token_id, name, count, last_ms)
     SELECT t.id, u ->> 1, CAST(u ->> 2 AS bigint), CAST(u ->> 3 AS bigint)
     FROM json_array_elements(CAST($1 AS json)) u JOIN api_token t ON t.id = CAST(u ->> 0 AS integer)
     ORDER BY t.id, u ->> 1
     FOR KEY SHARE OF t
     ON CONFLICT (token_id, name) DO UPDATE
     SET count = kept.count + excluded.count, last_ms = greatest(kept.last_ms, excluded.last_ms)`,
});

/** Adds uses to those that are stored. */
export async function addUses({ sql }: Tx, uses: readonly NamedUse[]): Promise<void> {
  await sql.run(ADD, JSON.stringify(uses.map(({ tokenId, name, count, lastMs }) => [tokenId, name, count, lastMs])));
}

const OF_TOKEN = statement(
  `SELECT token_id AS "tokenId", name, count, last_ms AS "lastMs" FROM api_token_use
   WHERE token_id = ? AND last_ms >= ? ORDER BY last_ms DESC, name`,
);

/** Uses of a token since a time, the most recent first. */
export const usesOf = ({ sql }: Tx, tokenId: number, fromMs: number): Promise<NamedUse[]> =>
  sql.all<NamedUse>(OF_TOKEN, tokenId, fromMs);

/** Deletes up to `limit` names that were last used before a time; returns how many. */
export const removeOldUses = async ({ prisma }: Tx, beforeMs: number, limit: number): Promise<number> =>
  (await prisma.apiTokenUse.deleteMany({ where: { lastMs: { lt: beforeMs } }, limit })).count;

const NAMES = statement(
  (dialect) => `SELECT token_id AS "tokenId", name AS text FROM api_token_use
     WHERE ${inJson(dialect, 'token_id')} AND last_ms >= ? AND name NOT LIKE '% %'`,
);
const RULES = statement(
  (dialect) =>
    `SELECT DISTINCT author_token_id AS "tokenId", kind AS text FROM alert_rule WHERE ${inJson(dialect, 'author_token_id')}`,
);
const CHANNELS = statement(
  (dialect) =>
    `SELECT author_token_id AS "tokenId", types AS text FROM webhook WHERE ${inJson(dialect, 'author_token_id')}`,
);

/** Permissions that a rule needs as long as it runs, and its messages to compare hosts (decision 071). */
const ruleNeeds = (kind: AlertKind): Permission[] => ['alert:write', 'agent:read', ...alertNeeds(kind)];

/** Permissions that a channel needs for the events that it gets. */
const channelNeeds = (types: string): Permission[] =>
  types === ''
    ? []
    : ['webhook:manage', 'agent:read', ...types.split(' ').flatMap((one) => subjectNeeds(one as EventType))];

/** Reads the permissions that some tokens need: those of their requests since a time, rules and channels. */
export async function neededPermissions(
  { sql }: Tx,
  tokenIds: readonly number[],
  fromMs: number,
): Promise<(tokenId: number) => ReadonlySet<string>> {
  const needed = new Map(tokenIds.map((id) => [id, new Set<string>()]));
  if (tokenIds.length > 0) {
    const ids = JSON.stringify(tokenIds);
    const add = (rows: readonly OfToken[], needs: (text: string) => readonly string[]) => {
      for (const { tokenId, text } of rows) for (const need of needs(text)) needed.get(tokenId)?.add(need);
    };
    add(await sql.all<OfToken>(NAMES, ids, fromMs), (name) => [name]);
    add(await sql.all<OfToken>(RULES, ids), (kind) => ruleNeeds(kind as AlertKind));
    add(await sql.all<OfToken>(CHANNELS, ids), channelNeeds);
  }
  return (id) => needed.get(id) ?? new Set();
}

interface OfToken {
  readonly tokenId: number;
  readonly text: string;
}
