// What a group is found by when its error happens again: fingerprint, level, application and source.
//
// Fingerprints are random. In one index of a million, each new one falls on a page of its own, which is read, logged,
// synced and copied back: half of what a flood of new errors cost. So SQLite has two: new ones go into a small table, all
// pages of which are at hand, and from there in their order, many to a page, into that of all others. A log-structured
// merge with two levels (decision 020). PostgreSQL keeps its unique index.
import { type Dialect, type StatementOptions, type SyncSql, statement, type Tx } from '@quarterdeck/core/db';
import type { GroupKey } from '../write/batch.ts';

const COLUMNS = 'fingerprint, level, app_id, src, id';

const onSqlite = (sqlite: string, options?: StatementOptions) => statement({ sqlite, postgresql: '' }, options);

/** What an error is known by: a placeholder or a column for each part. */
export interface ErrorTerms {
  readonly fingerprint: string;
  readonly level?: string;
  readonly app_id?: string;
}

/** An error given by three values: fingerprint, level and application. */
const GIVEN: ErrorTerms = { fingerprint: '?', level: '?', app_id: '?' };

/** An error given by a group: that of the alias. */
export const errorOf = (alias: string): ErrorTerms => ({
  fingerprint: `${alias}.fingerprint`,
  level: `${alias}.level`,
  app_id: `${alias}.app_id`,
});

/** The condition that `alias`, a group, is one of an error. */
export function isOf(dialect: Dialect, alias: string, terms: ErrorTerms): string {
  const is = (prefix: string) =>
    Object.entries(terms)
      .map(([column, value]) => `${prefix}${column} = ${value}`)
      .join(' AND ');
  return dialect === 'sqlite' ? `${alias}.id IN (SELECT id FROM errlog_fingerprint WHERE ${is('')})` : is(`${alias}.`);
}

/** A statement about the groups `e` of a given error: `text` is given the condition. */
export const aboutError = (text: (condition: string) => string) =>
  statement((dialect) => text(isOf(dialect, 'e', GIVEN)));

const ERROR = 'fingerprint = ? AND level = ? AND app_id = ?';
const KEY = `${ERROR} AND src = ?`;

/** On SQLite, the id of the group of an error, given as above, on a source: at most one, as a value. */
export const GROUP_ID = `(SELECT id FROM errlog_fingerprint WHERE ${KEY})`;

/** On SQLite, whether an error is on any source: a row, or none. */
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

/** So many stay new: the more, the closer together those lie that are moved, and the more pages the new ones have. */
const NEW_MAX = 50_000;
/** Moved in one write. */
const MOVE_MAX = 8_000;
/** Behind every fingerprint. */
const END = '\u{10ffff}';

/** Adds the groups of a range of ids, in the transaction that makes them. */
export const addFingerprints = (sql: SyncSql, firstId: number, lastId: number) => sql.run(ADD, firstId, lastId);

/**
 * Moves what is too many among the new ones: those from a fingerprint on, and behind the last the first ones. Any will do
 * if it is another one each time.
 */
export function moveFingerprints(sql: SyncSql, near: string, newMax = NEW_MAX): void {
  const many = Math.min(MOVE_MAX, (sql.get<{ n: number }>(COUNT_NEW)?.n ?? 0) - newMax);
  if (many <= 0) return;
  const moved = moveFrom(sql, near, many);
  if (moved < many) moveFrom(sql, '', many - moved);
}

/** Moves so many, and those of the same error as the last of them; returns how many that were. */
function moveFrom(sql: SyncSql, from: string, many: number): number {
  const to = sql.get<{ fingerprint: string }>(LAST_OF, from, many - 1)?.fingerprint ?? END;
  sql.run(COPY, from, to);
  return sql.run(CLEAR, from, to).changes;
}

const FORGET = [
  onSqlite(`DELETE FROM errlog_fingerprint_new WHERE ${KEY}`),
  onSqlite(`DELETE FROM errlog_fingerprint_old WHERE ${KEY}`),
];

/** Takes a group out. */
export async function removeFingerprint({ sql }: Tx, dialect: Dialect, group: GroupKey): Promise<void> {
  if (dialect !== 'sqlite') return;
  const { fingerprint, level, appId, src } = group;
  for (const forget of FORGET) await sql.run(forget, fingerprint, level, appId, src);
}
