// What is forgotten of the error logs, in writes that hold the writer for some milliseconds each:
// - occurrences after a while, but for the last ones of each group; the group's count stays true;
// - groups that were not seen for long, with all that is left of them;
// - the oldest of both where the database has grown beyond its bound;
// - the single minutes of counts: after two days they become hours.
import { unixSeconds } from '@quarterdeck/core';
import { type Database, statement, type Tx } from '@quarterdeck/core/db';
import type { Config } from '../../config.ts';
import { lockGroups } from '../../errlog-store/write/batch.ts';
import { Counters } from '../../errlog-store/write/counters.ts';
import { type ChunkRow, removeChunks, removeGroups } from '../../errlog-store/write/remove.ts';

/** How long the error logs are kept. 0 is for ever, or without a bound. */
export interface RetentionLimits {
  /** Days after which a group that was not seen any more is deleted. */
  readonly groupDays: number;
  /** Days after which an occurrence is deleted. */
  readonly occurrenceDays: number;
  /** Megabytes (10^6 bytes) of the database beyond which the oldest go first; on SQLite. */
  readonly maxMb: number;
}

/** The limits that are set. */
export const retentionLimits = ({
  errlogDays,
  occurrenceDays,
  errlogMaxMb,
}: Pick<Config, 'errlogDays' | 'occurrenceDays' | 'errlogMaxMb'>): RetentionLimits => ({
  groupDays: errlogDays,
  occurrenceDays,
  maxMb: errlogMaxMb,
});

/** What a round of retention deleted, or would delete. */
export interface RetentionReport {
  readonly groups: number;
  readonly chunks: number;
}

const DAY_S = 86_400;
/** Occurrences of a group that stay for as long as the group does. */
const KEPT_PER_GROUP = 20;
/** Rows between two looks at the time. */
const SLICE = 50;
/** A write takes so long, and a slice more. Shorter ones would delete less in each turn than the intake brings in its own. */
const WRITE_MS = 20;
/** Counts are kept by the minute for so long. */
export const MINUTES_KEPT_S = 2 * DAY_S;
const GROUPS_AT_ONCE = 200;

const OLD_GROUPS = statement('SELECT id FROM errlog WHERE log_time < ? ORDER BY log_time, id LIMIT ?');
const OLD_CHUNKS = statement(
  `SELECT errlog_id FROM errlog_chunk WHERE NOT kept AND to_time < ? ORDER BY to_time LIMIT ?`,
);
const NEWEST = statement('SELECT id, n FROM errlog_chunk WHERE errlog_id = ? ORDER BY id DESC LIMIT ?');
const BEHIND = statement(
  `SELECT id, errlog_id, from_time, data FROM errlog_chunk WHERE errlog_id = ? AND id < ? AND to_time < ?
   ORDER BY id LIMIT ?`,
);
const KEEP = statement(
  'UPDATE errlog_chunk SET kept = TRUE WHERE errlog_id = ? AND id >= ? AND to_time < ? AND NOT kept',
);
const COUNT_GROUPS = statement('SELECT count(*) AS n FROM errlog WHERE log_time < ?');
const COUNT_CHUNKS = statement('SELECT count(*) AS n FROM errlog_chunk WHERE NOT kept AND to_time < ?');
const SIZE = statement({
  sqlite: `SELECT (p.page_count - f.freelist_count) * s.page_size AS bytes
    FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size s`,
  postgresql: 'SELECT 0 AS bytes',
});
const TO_HOURS = statement(
  `INSERT INTO errlog_minute (errlog_id, minute, n)
   SELECT errlog_id, minute - minute % 60, sum(n) FROM errlog_minute
   WHERE errlog_id >= ? AND errlog_id <= ? AND minute < ? AND minute % 60 <> 0 GROUP BY errlog_id, minute - minute % 60
   ON CONFLICT (errlog_id, minute) DO UPDATE SET n = errlog_minute.n + excluded.n`,
);
const FORGET_MINUTES = statement(
  'DELETE FROM errlog_minute WHERE errlog_id >= ? AND errlog_id <= ? AND minute < ? AND minute % 60 <> 0',
);
const GROUP_RANGE = statement(
  'SELECT min(id) AS low, max(id) AS high FROM (SELECT id FROM errlog WHERE id > ? ORDER BY id LIMIT ?) next',
);
const FORGET_RATES = statement('DELETE FROM errlog_rate WHERE minute < ?');

/** What a slice did: whether it found anything that is due, and how many rows went. */
interface Slice {
  readonly more: boolean;
  readonly gone: number;
}

/** Runs retention over a database. */
export interface Retention {
  /** One round: everything that is due, slice by slice, unless `stopped` says so. */
  run(stopped: () => boolean): Promise<RetentionReport>;
  /** Only what is due because the database is beyond its bound. */
  shrink(stopped: () => boolean): Promise<RetentionReport>;
  /** What a round would delete for age. */
  preview(): Promise<RetentionReport>;
}

/** Retention with its limits. `now` is in Unix milliseconds. */
export function createRetention(db: Database, limits: RetentionLimits, now: () => number): Retention {
  /** Unix seconds before which things are too old; 0 where nothing is. */
  const before = (days: number) => (days === 0 ? 0 : unixSeconds(now()) - days * DAY_S);
  let minutesDoneTo = 0;

  /** Slices in one write, for a while. */
  const slices = (slice: (tx: Tx) => Promise<Slice>): Promise<Slice> =>
    db.write(async (tx) => {
      await lockGroups(tx, db.dialect);
      const endMs = performance.now() + WRITE_MS;
      let total = 0;
      for (;;) {
        const { more, gone } = await slice(tx);
        total += gone;
        if (!more || performance.now() >= endMs) return { more, gone: total };
      }
    });

  /** Runs a slice again and again until it finds nothing more; how many rows went in all. */
  async function drain(stopped: () => boolean, slice: (tx: Tx) => Promise<Slice>): Promise<number> {
    let total = 0;
    while (!stopped()) {
      const { more, gone } = await slices(slice);
      total += gone;
      if (!more) break;
    }
    return total;
  }

  async function dropGroups(tx: Tx, beforeS: number): Promise<Slice> {
    const old = await tx.sql.all<{ id: number }>(OLD_GROUPS, beforeS, SLICE);
    const ids = old.map(({ id }) => id);
    // At least something: a group with more chunks than a slice loses a slice of them.
    return { more: ids.length > 0, gone: await removeGroups(tx, db.dialect, ids, SLICE) };
  }

  async function dropOccurrences(tx: Tx, beforeS: number): Promise<Slice> {
    const old = await tx.sql.all<{ errlog_id: number }>(OLD_CHUNKS, beforeS, SLICE);
    if (old.length === 0) return { more: false, gone: 0 };
    const counters = new Counters();
    let left: number = SLICE;
    for (const group of new Set(old.map(({ errlog_id }) => errlog_id))) {
      const first = await firstKept(tx, group);
      const chunks = await tx.sql.all<ChunkRow>(BEHIND, group, first, beforeS, left);
      await removeChunks(tx, chunks, counters);
      await tx.sql.run(KEEP, group, first, beforeS);
      left -= chunks.length;
      if (left <= 0) break;
    }
    await counters.apply(tx);
    return { more: true, gone: SLICE - left };
  }

  /** Id of the oldest of a group's chunks that holds one of its last occurrences. */
  async function firstKept(tx: Tx, group: number): Promise<number> {
    let occurrences = 0;
    let first = 0;
    for (const { id, n } of await tx.sql.all<{ id: number; n: number }>(NEWEST, group, KEPT_PER_GROUP)) {
      if (occurrences >= KEPT_PER_GROUP) break;
      occurrences += n;
      first = id;
    }
    return first;
  }

  /** Whether the database is beyond its bound. */
  async function isTooLarge({ sql }: Tx): Promise<boolean> {
    if (limits.maxMb === 0) return false;
    const size = await sql.get<{ bytes: number }>(SIZE);
    return (size?.bytes ?? 0) > limits.maxMb * 1_000_000;
  }

  async function shrink(stopped: () => boolean): Promise<RetentionReport> {
    let [groups, chunks] = [0, 0];
    // What comes in meanwhile is not among them: it would never be the turn of the groups.
    const sinceS = unixSeconds(now());
    const sliceOf = (drop: typeof dropGroups, beforeS: number) => async (tx: Tx) =>
      (await isTooLarge(tx)) ? drop(tx, beforeS) : { more: false, gone: 0 };
    while (!stopped() && (await isTooLarge(db.read))) {
      const dropped = await slices(sliceOf(dropOccurrences, sinceS));
      chunks += dropped.gone;
      if (dropped.more) continue;
      const { more, gone } = await slices(sliceOf(dropGroups, Number.MAX_SAFE_INTEGER));
      groups += gone;
      if (!more) break;
    }
    return { groups, chunks };
  }

  async function coarsen(stopped: () => boolean): Promise<void> {
    const beforeMinute = Math.floor((unixSeconds(now()) - MINUTES_KEPT_S) / 3600) * 60;
    while (!stopped()) {
      const range = await db.read.sql.get<{ low: number | null; high: number | null }>(
        ...([GROUP_RANGE, minutesDoneTo, GROUPS_AT_ONCE] as const),
      );
      const { low, high } = range ?? { low: null, high: null };
      if (low === null || high === null) break;
      await db.write(async (tx) => {
        // A late line between the two statements would be lost, and two servers would add up twice.
        await lockGroups(tx, db.dialect);
        await tx.sql.run(TO_HOURS, low, high, beforeMinute);
        await tx.sql.run(FORGET_MINUTES, low, high, beforeMinute);
      });
      minutesDoneTo = high;
    }
    minutesDoneTo = 0;
  }

  return {
    shrink,

    async run(stopped) {
      const groups = await drain(stopped, (tx) => dropGroups(tx, before(limits.groupDays)));
      const chunks = await drain(stopped, (tx) => dropOccurrences(tx, before(limits.occurrenceDays)));
      const shrunk = await shrink(stopped);
      await coarsen(stopped);
      const ratesBefore = before(limits.groupDays);
      if (ratesBefore > 0) await db.write((tx) => tx.sql.run(FORGET_RATES, Math.floor(ratesBefore / 60)));
      return { groups: groups + shrunk.groups, chunks: chunks + shrunk.chunks };
    },

    async preview() {
      const groups = await db.read.sql.get<{ n: number }>(COUNT_GROUPS, before(limits.groupDays));
      const chunks = await db.read.sql.get<{ n: number }>(COUNT_CHUNKS, before(limits.occurrenceDays));
      return { groups: groups?.n ?? 0, chunks: chunks?.n ?? 0 };
    },
  };
}
