// Removes old data in slices. Each is a part of one write.
import { type Database, type Dialect, type Sql, statement, type Tx } from '@quarterdeck/core/db';
import { lockGroups } from '../tables/group-lock.ts';
import { recordRemovedLines } from '../tables/held-lines.ts';
import { removeGroups } from './remove.ts';

/** Outcome of a slice: whether there was anything to remove, and the number of rows removed. */
export interface Removed {
  readonly more: boolean;
  readonly gone: number;
}

const OLD_GROUPS = statement('SELECT id FROM errlog WHERE log_time < ? ORDER BY log_time, id LIMIT ?');
const OLD_SEGMENTS = statement(
  `DELETE FROM errlog_segment WHERE id IN (SELECT id FROM errlog_segment WHERE to_time < ? ORDER BY to_time LIMIT ?)`,
);

/** Removes groups last seen before a time, Unix seconds. */
export async function removeOldGroups(tx: Tx, dialect: Dialect, beforeS: number, limit: number): Promise<Removed> {
  const ids = (await tx.sql.all<{ id: number }>(OLD_GROUPS, beforeS, limit)).map(({ id }) => id);
  return { more: ids.length > 0, gone: await removeGroups(tx, dialect, ids) };
}

/** Removes segments that ended before a time, Unix seconds. The counts of their groups do not change. */
export async function removeOldLines(tx: Tx, beforeS: number, limit: number): Promise<Removed> {
  const { changes } = await tx.sql.run(OLD_SEGMENTS, beforeS, limit);
  if (changes > 0) await recordRemovedLines(tx, beforeS);
  return { more: changes > 0, gone: changes };
}

const COUNT_GROUPS = statement('SELECT count(*) AS n FROM errlog WHERE log_time < ?');
const COUNT_SEGMENTS = statement('SELECT count(*) AS n FROM errlog_segment WHERE to_time < ?');

/** Numbers of the groups and segments from before two times, Unix seconds. */
export async function countOld(sql: Sql, groupsBeforeS: number, linesBeforeS: number) {
  const groups = await sql.get<{ n: number }>(COUNT_GROUPS, groupsBeforeS);
  const segments = await sql.get<{ n: number }>(COUNT_SEGMENTS, linesBeforeS);
  return { groups: groups?.n ?? 0, segments: segments?.n ?? 0 };
}

const SIZE = statement({
  sqlite: `SELECT (p.page_count - f.freelist_count) * s.page_size AS bytes
    FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size s`,
  postgresql: 'SELECT 0 AS bytes',
});

/** Size of the database in bytes; 0 on PostgreSQL, where other data may share it. */
export const sizeBytes = async (sql: Sql): Promise<number> => (await sql.get<{ bytes: number }>(SIZE))?.bytes ?? 0;

const GROUP_RANGE = statement(
  'SELECT min(id) AS low, max(id) AS high FROM (SELECT id FROM errlog WHERE id > ? ORDER BY id LIMIT ?) next',
);
const TO_HOURS = statement(
  `INSERT INTO errlog_minute (errlog_id, minute, n)
   SELECT errlog_id, minute - minute % 60, sum(n) FROM errlog_minute
   WHERE errlog_id >= ? AND errlog_id <= ? AND minute < ? AND minute % 60 <> 0 GROUP BY errlog_id, minute - minute % 60
   ON CONFLICT (errlog_id, minute) DO UPDATE SET n = errlog_minute.n + excluded.n`,
);
const REMOVE_MINUTES = statement(
  'DELETE FROM errlog_minute WHERE errlog_id >= ? AND errlog_id <= ? AND minute < ? AND minute % 60 <> 0',
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
    // Without the lock, a late line between the two statements is lost, and two servers count twice.
    await lockGroups(tx, db.dialect);
    await tx.sql.run(TO_HOURS, low, high, beforeMinute);
    await tx.sql.run(REMOVE_MINUTES, low, high, beforeMinute);
  });
  return high;
}

const REMOVE_RATES = statement('DELETE FROM errlog_rate WHERE minute < ?');

/** Removes the numbers of all sources from before a minute. */
export const removeRates = (tx: Tx, beforeMinute: number) => tx.sql.run(REMOVE_RATES, beforeMinute);
