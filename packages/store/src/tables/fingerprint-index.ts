// Index of groups by fingerprint, level, application and source.
//
// Fingerprints are random: in one index of a million, each new one falls on a page of its own, which is read, logged,
// synced and copied back. That was half the cost of a flood of new errors. So SQLite has two tables. New entries go
// into a small one, whose pages stay in memory. From there they move in order, many to a page, into the large one.
// This is a log-structured merge with two levels (decision 020). PostgreSQL keeps its unique index.
import { type Dialect, type SyncSql, statement, type Tx } from '@quarterdeck/core/db';
import { onSqlite } from '@quarterdeck/core/sql';
import type { GroupKey } from './group-key.ts';

const COLUMNS = 'fingerprint, level, app_id, src, id';

/** Terms of an error: a placeholder or a column for each part. */
export interface ErrorTerms {
  readonly fingerprint: string;
  readonly level?: string;
  readonly app_id?: string;
}

/** An error given by three values: fingerprint, level and application. */
const GIVEN: ErrorTerms = { fingerprint: '?', level: '?', app_id: '?' };

/** Terms of the error of a group. */
export const errorOf = (alias: string): ErrorTerms => ({
  fingerprint: `${alias}.fingerprint`,
  level: `${alias}.level`,
  app_id: `${alias}.app_id`,
});

/** Condition that the group `alias` belongs to an error. */
export function errorCondition(dialect: Dialect, alias: string, terms: ErrorTerms): string {
  const is = (prefix: string) =>
    Object.entries(terms)
      .map(([column, value]) => `${prefix}${column} = ${value}`)
      .join(' AND ');
  return dialect === 'sqlite' ? `${alias}.id IN (SELECT id FROM errlog_fingerprint WHERE ${is('')})` : is(`${alias}.`);
}

/** Makes a statement about the groups `e` of an error given by three values. */
export const errorStatement = (text: (condition: string) => string) =>
  statement((dialect) => text(errorCondition(dialect, 'e', GIVEN)));

const ERROR = 'fingerprint = ? AND level = ? AND app_id = ?';
const KEY = `${ERROR} AND src = ?`;

/** SQL of the id of the group of an error on a source, on SQLite: at most one value. */
export const GROUP_ID = `(SELECT id FROM errlog_fingerprint WHERE ${KEY})`;

/** Returns a row if any source has an error, on SQLite. */
export const IS_ANYWHERE = onSqlite(`SELECT 1 AS found FROM errlog_fingerprint WHERE ${ERROR} LIMIT 1`, {
  numbersMeetColumns: true,
});

const ADD = onSqlite(
  `INSERT OR FAIL INTO errlog_fingerprint_new SELECT ${COLUMNS} FROM errlog WHERE id BETWEEN ? AND ?`,
);
const COUNT_NEW = onSqlite('SELECT count(*) AS n FROM errlog_fingerprint_new');
const LAST_OF = onSqlite(
  'SELECT fingerprint FROM errlog_fingerprint_new WHERE fingerprint >= ? ORDER BY fingerprint LIMIT 1 OFFSET ?',
);
const COPY = onSqlite(`INSERT OR FAIL INTO errlog_fingerprint_old SELECT ${COLUMNS} FROM errlog_fingerprint_new
  WHERE fingerprint BETWEEN ? AND ? ORDER BY fingerprint, level, app_id, src`);
const CLEAR = onSqlite('DELETE FROM errlog_fingerprint_new WHERE fingerprint BETWEEN ? AND ?');

/**
 * Entries that stay in the small table. The more there are, the closer together lie those that move, and the more
 * pages the small table has.
 */
const NEW_MAX = 50_000;
/** Entries moved in one write. */
const MOVE_MAX = 8_000;
/** Greater than every fingerprint. */
const END = '\u{10ffff}';

/** Adds the groups of a range of ids, in the transaction that creates them. */
export const addFingerprints = (sql: SyncSql, firstId: number, lastId: number) => sql.run(ADD, firstId, lastId);

/**
 * Moves the surplus of the small table: entries from `near` on, and from the start behind the last one. Any other
 * `near` each time spreads the moves.
 */
export function moveFingerprints(sql: SyncSql, near: string, newMax = NEW_MAX): void {
  const many = Math.min(MOVE_MAX, (sql.get<{ n: number }>(COUNT_NEW)?.n ?? 0) - newMax);
  if (many <= 0) return;
  const moved = moveFrom(sql, near, many);
  if (moved < many) moveFrom(sql, '', many - moved);
}

/** Moves `many` entries and all others of the last error; returns their number. */
function moveFrom(sql: SyncSql, from: string, many: number): number {
  const to = sql.get<{ fingerprint: string }>(LAST_OF, from, many - 1)?.fingerprint ?? END;
  sql.run(COPY, from, to);
  return sql.run(CLEAR, from, to).changes;
}

const KEYS = { error: 'fingerprint, level, app_id', group: 'fingerprint, level, app_id, src' } as const;

/**
 * SQL on PostgreSQL, as a subquery: the first row of `errlog e` with the error or the key of the row `g`. Only the
 * index of fingerprints has the rows in this order: before the first statistics PostgreSQL believes that any index of
 * some of the columns finds a single row.
 */
export function firstWith(key: keyof typeof KEYS, columns: string, last = 'LIMIT 1'): string {
  const row = (alias: string) => `(${KEYS[key].replaceAll(/\w+/g, `${alias}.$&`)})`;
  return `(SELECT ${columns} FROM errlog e WHERE ${row('e')} >= ${row('g')} AND ${row('e')} <= ${row('g')}
    ORDER BY e.fingerprint, e.level, e.app_id, e.src ${last})`;
}

const REMOVE = [
  onSqlite(`DELETE FROM errlog_fingerprint_new WHERE ${KEY}`),
  onSqlite(`DELETE FROM errlog_fingerprint_old WHERE ${KEY}`),
];

const ADD_ONE = onSqlite(`INSERT INTO errlog_fingerprint_new SELECT ${COLUMNS} FROM errlog WHERE id = ?`);

/** Adds a group to the index. */
export async function addFingerprint({ sql }: Tx, dialect: Dialect, id: number): Promise<void> {
  if (dialect === 'sqlite') await sql.run(ADD_ONE, id);
}

/** Removes a group from the index. */
export async function removeFingerprint({ sql }: Tx, dialect: Dialect, group: GroupKey): Promise<void> {
  if (dialect !== 'sqlite') return;
  const { fingerprint, level, appId, src } = group;
  for (const remove of REMOVE) await sql.run(remove, fingerprint, level, appId, src);
}
