// Removes old data in slices. Each is a part of one write.
import { type Database, type Dialect, type Sql, type Statement, statement, type Tx } from '@quarterdeck/core/db';
import { mergeHours } from '../tables/group-minutes.ts';
import { recordRemovedLines } from '../tables/held-lines.ts';
import { removeFilters } from '../tables/segment-filters.ts';
import { LAST_ARRIVED, LINE_BYTES } from '../tables/segment-rows.ts';
import { removeGroups } from './remove.ts';

/** Outcome of a slice: whether there was anything to remove, and the number of groups or lines removed. */
export interface Removed {
  readonly more: boolean;
  readonly gone: number;
}

const DAY_S = 86_400;
const LAST = `${LAST_ARRIVED} AS last`;

const OLD_GROUPS = statement('SELECT id FROM errlog WHERE log_time < ? ORDER BY log_time, id LIMIT ?');
// A line cannot have happened after it arrived: the day of arrival ends a segment whose lines have a later time.
const OLD_SEGMENTS = statement(
  `DELETE FROM errlog_segment WHERE id IN (
     SELECT id FROM errlog_segment WHERE to_time < ? OR day < ? ORDER BY id LIMIT ?)
   RETURNING id, n, ${LAST}`,
);
const OLDEST_SEGMENTS = statement(
  `DELETE FROM errlog_segment WHERE id IN (SELECT id FROM errlog_segment ORDER BY id LIMIT ?)
   RETURNING id, n, ${LAST}`,
);

/** Removes groups last seen before a time, Unix seconds. */
export async function removeOldGroups(tx: Tx, dialect: Dialect, beforeS: number, limit: number): Promise<Removed> {
  const ids = (await tx.sql.all<{ id: number }>(OLD_GROUPS, beforeS, limit)).map(({ id }) => id);
  return { more: ids.length > 0, gone: await removeGroups(tx, dialect, ids) };
}

/**
 * Removes segments whose lines all happened, or arrived, before a time, Unix seconds. The counts of their groups do not
 * change.
 */
export async function removeOldLines(tx: Tx, dialect: Dialect, beforeS: number, limit: number): Promise<Removed> {
  return removeSegments(tx, dialect, OLD_SEGMENTS, beforeS, Math.floor(beforeS / DAY_S), limit);
}

/** Removes the lines that arrived first. */
export const removeOldestLines = (tx: Tx, dialect: Dialect, limit: number): Promise<Removed> =>
  removeSegments(tx, dialect, OLDEST_SEGMENTS, limit);

async function removeSegments(tx: Tx, dialect: Dialect, remove: Statement, ...values: number[]): Promise<Removed> {
  const segments = await tx.sql.all<{ id: number; n: number; last: number }>(remove, ...values);
  for (const { id } of segments) await removeFilters(tx, dialect, id);
  if (segments.length > 0) await recordRemovedLines(tx, Math.max(...segments.map(({ last }) => last)) + 1);
  return removed(segments);
}

const removed = (segments: readonly { readonly n: number }[]): Removed => ({
  more: segments.length > 0,
  gone: segments.reduce((sum, { n }) => sum + n, 0),
});

const COUNT_GROUPS = statement('SELECT count(*) AS n FROM errlog WHERE log_time < ?');
const COUNT_LINES = statement(
  'SELECT CAST(coalesce(sum(n), 0) AS bigint) AS n FROM errlog_segment WHERE to_time < ? OR day < ?',
);

/** Numbers of the groups and lines that retention would remove before two times, Unix seconds. */
export async function countOld(sql: Sql, groupsBeforeS: number, linesBeforeS: number) {
  const groups = await sql.get<{ n: number }>(COUNT_GROUPS, groupsBeforeS);
  const lines = await sql.get<{ n: number }>(COUNT_LINES, linesBeforeS, Math.floor(linesBeforeS / DAY_S));
  return { groups: groups?.n ?? 0, lines: lines?.n ?? 0 };
}

/** Bytes of a group beside its text, and for each byte of it: measured, indexes included. */
const GROUP_BYTES = { sqlite: 350, postgresql: 1_100 } as const;
const TEXT_SHARE = { sqlite: 1.6, postgresql: 4.5 } as const;
const TEXTS_READ = 200;
const TEXT = `(SELECT avg(octet_length(log)) FROM (SELECT log FROM errlog ORDER BY id DESC LIMIT ${TEXTS_READ}) AS last)`;
/** Bytes of a row of `errlog_hour` on PostgreSQL: measured, indexes included. */
const HOUR_BYTES = 180;

// The size of a relation does not shrink when rows are deleted: a bound on it would delete everything. So the rows are
// counted, and the relation is the most that they take. The number of groups is kept, that of minutes is estimated.
const SIZE = statement({
  sqlite: `SELECT (p.page_count - f.freelist_count) * s.page_size AS bytes
    FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size s`,
  postgresql: `SELECT (coalesce((SELECT sum(${LINE_BYTES}) FROM errlog_segment), 0)
    + least(pg_total_relation_size('errlog') + pg_total_relation_size('errlog_search'),
        (SELECT coalesce(sum(n), 0) FROM errlog_total WHERE src = -2)
          * (${GROUP_BYTES.postgresql} + ${TEXT_SHARE.postgresql} * coalesce(${TEXT}, 0)))
    + least(pg_total_relation_size('errlog_hour'),
        ${HOUR_BYTES} * pg_stat_get_live_tuples('errlog_hour'::regclass)))::int8 AS bytes`,
});

/** Bytes that can be removed: of the database on SQLite, of lines and groups on PostgreSQL. */
export const sizeBytes = async (sql: Sql): Promise<number> => (await sql.get<{ bytes: number }>(SIZE))?.bytes ?? 0;

const GROUPS = statement(`SELECT (SELECT count(*) FROM errlog) AS n, CAST(${TEXT} AS real) AS text`);

/** Estimates how many groups do not fit into some bytes, from their number and the newest texts. */
export async function groupsBeyond({ sql }: Tx, dialect: Dialect, bytes: number): Promise<number> {
  const { n, text } = (await sql.get<{ n: number; text: number | null }>(GROUPS)) ?? { n: 0, text: null };
  return Math.max(0, Math.ceil(n - bytes / (GROUP_BYTES[dialect] + TEXT_SHARE[dialect] * (text ?? 0))));
}

const GROUP_RANGE = statement(
  'SELECT min(id) AS low, max(id) AS high FROM (SELECT id FROM errlog WHERE id > ? ORDER BY id LIMIT ?) next',
);

/**
 * Sums minutes before `beforeMinute` into hours, for the next groups after an id. Returns the last of them; undefined
 * after the last group.
 */
export async function mergeMinutes(
  db: Database,
  beforeMinute: number,
  afterId: number,
  limit: number,
): Promise<number | undefined> {
  type Range = { low: number | null; high: number | null };
  const { low, high } = (await db.read.sql.get<Range>(GROUP_RANGE, afterId, limit)) ?? { low: null, high: null };
  if (low === null || high === null) return undefined;
  await db.write(async (tx) => {
    await mergeHours(tx, low, high, beforeMinute);
  });
  return high;
}

const REMOVE_RATES = statement('DELETE FROM errlog_rate WHERE minute < ?');

/** Removes the numbers of all sources from before a minute. */
export const removeRates = (tx: Tx, beforeMinute: number) => tx.sql.run(REMOVE_RATES, beforeMinute);
