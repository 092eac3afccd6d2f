// Retention of error logs, in writes that hold the writer for some milliseconds each. It removes:
// - old lines; the counts and newest texts of their groups stay;
// - groups that were not seen for long;
// - the oldest of both if the database exceeds its size limit;
// - counts by the minute: after two days they become counts by the hour;
// - the ledger, after the days of groups.
import { unixSeconds } from '@quarterdeck/core';
import { type Database, DatabaseError, type Tx } from '@quarterdeck/core/db';
import { daysOfPartition, errlogStore, MINUTES_KEPT_S, type Outdated, type Removed } from '@quarterdeck/store';
import type { Config } from '../../settings/config.ts';

/** Limits of the error logs. 0 is unlimited. */
export interface RetentionLimits {
  /** Days after which a group that was not seen again is deleted. */
  readonly groupDays: number;
  /** Days after which a line is deleted. */
  readonly occurrenceDays: number;
  /** Size limit in megabytes (10^6 bytes): of all files on SQLite, of lines and groups on PostgreSQL. */
  readonly maxMb: number;
}

/** Returns the configured limits. */
export const retentionLimits = ({
  errlogDays,
  occurrenceDays,
  errlogMaxMb,
}: Pick<Config, 'errlogDays' | 'occurrenceDays' | 'errlogMaxMb'>): RetentionLimits => ({
  groupDays: errlogDays,
  occurrenceDays,
  maxMb: errlogMaxMb,
});

/** Numbers of groups and lines that a round deleted, or would delete. */
export interface RetentionReport {
  readonly groups: number;
  readonly lines: number;
}

const DAY_S = 86_400;
/** Rows removed between two checks of the time. */
const SLICE = 50;
/**
 * Duration of a write, without its last slice. With shorter writes, the intake would store more than retention
 * removes.
 */
const WRITE_MS = 20;
const GROUPS_AT_ONCE = 200;
/** Share of the files beyond which unused pages are given back: fewer will be used again soon. */
const UNUSED_SHARE = 1 / 8;
/**
 * Share of the size limit that groups always have. The limit is on the whole database: if other data takes the rest,
 * deleting every group would not help.
 */
const SHARE_OF_GROUPS = 1 / 4;
/** Share of the size limit for data: the rest is for deleted rows that PostgreSQL has not reused yet. */
const SHARE_ON_POSTGRESQL = 0.8;

/** Work of retention since the start of the process. */
export interface RetentionStats extends RetentionReport {
  /** End of the last complete run, Unix milliseconds; undefined before the first. */
  readonly lastRunMs: number | undefined;
}

/** Retention of one database. */
export interface Retention {
  /** Removes everything that is due, slice by slice, until `stopped` returns true. */
  run(stopped: () => boolean): Promise<RetentionReport>;
  /** Removes the oldest data while it exceeds the size limit, and gives the space back to the system. */
  shrink(stopped: () => boolean): Promise<RetentionReport>;
  /** On PostgreSQL: ends the partition of the lines of past days. */
  closePartition(): Promise<void>;
  /** Counts the rows that a round would delete for their age. */
  preview(): Promise<RetentionReport>;
  stats(): RetentionStats;
}

const NOTHING: Removed = { more: false, gone: 0 };

/** Runs a slice until it finds nothing more or the time is over. */
async function runSlices(slice: () => Promise<Removed>, endMs: number): Promise<Removed> {
  for (let total = 0; ; ) {
    const { more, gone } = await slice();
    total += gone;
    if (!more || performance.now() >= endMs) return { more, gone: total };
  }
}

/** Runs work that the next round repeats if the database is busy. */
async function unlessBusy<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DatabaseError && error.kind === 'busy') return otherwise;
    throw error;
  }
}

/** Creates retention with its limits. `now` is in Unix milliseconds. */
export function createRetention(db: Database, limits: RetentionLimits, now: () => number): Retention {
  /** Returns the time, in Unix seconds, before which data is too old; 0 without a limit. */
  const before = (days: number) => (days === 0 ? 0 : unixSeconds(now()) - days * DAY_S);
  const store = errlogStore(db);
  let minutesDoneTo = 0;
  const removed = { groups: 0, lines: 0 };
  let lastRunMs: number | undefined;

  /** Runs work in a write that may change groups; its slices end at `endMs`. */
  const inWrite = <T>(work: (tx: Tx, endMs: number) => Promise<T>): Promise<T> =>
    db.write(async (tx) => {
      await store.lock(tx);
      return work(tx, performance.now() + WRITE_MS);
    });

  /** Runs a slice until it finds nothing more; returns the number of rows removed. */
  async function drain(
    stopped: () => boolean,
    kind: keyof RetentionReport,
    slice: (tx: Tx) => Promise<Removed>,
  ): Promise<number> {
    let total = 0;
    while (!stopped()) {
      const { more, gone } = await inWrite((tx, endMs) => runSlices(() => slice(tx), endMs));
      total += gone;
      removed[kind] += gone;
      if (!more) break;
    }
    return total;
  }

  /** Removes whole partitions of lines. Where they are in use, their lines go slice by slice. */
  async function dropPartitions(outdated: Outdated): Promise<number> {
    if (!(await store.hasOutdatedPartitions(outdated))) return 0;
    const { gone } = await unlessBusy(() => db.write((tx) => store.dropPartitions(tx, outdated)), NOTHING);
    removed.lines += gone;
    return gone;
  }

  const removeGroups = (tx: Tx, beforeS: number, most = SLICE) => store.removeOldGroups(tx, beforeS, most);
  const removeLines = (tx: Tx, beforeS: number) => store.removeOldLines(tx, beforeS, 1);

  const maxBytes = limits.maxMb * 1_000_000;
  /** Bytes that the data may take. */
  const dataBytes = db.space === undefined ? maxBytes * SHARE_ON_POSTGRESQL : maxBytes - db.space.besideBytes;

  async function shrink(stopped: () => boolean): Promise<RetentionReport> {
    let [groups, lines] = [0, 0];
    if (maxBytes === 0) return { groups, lines };
    const isTooLarge = async (tx?: Tx) => (await store.sizeBytes(tx)) > dataBytes;
    const excess = (await store.sizeBytes()) - dataBytes;
    if (excess > 0) lines += await dropPartitions({ bytes: excess });
    /** Removes the oldest lines in a write; the oldest groups only where no line is left. */
    const removeSome = () =>
      inWrite(async (tx, endMs) => {
        const runWhileTooLarge = (slice: () => Promise<Removed>) =>
          runSlices(async () => ((await isTooLarge(tx)) ? slice() : NOTHING), endMs);
        const ofLines = await runWhileTooLarge(() => store.removeOldestLines(tx, 1));
        if (ofLines.more) return { ofLines, ofGroups: NOTHING };
        // Lines that arrive between two writes never cost a group: this write has found none.
        // Counted once in a write, and only if a group has to go.
        let beyond: number | undefined;
        const ofGroups = await runWhileTooLarge(async () => {
          beyond ??= await store.groupsBeyond(tx, dataBytes * SHARE_OF_GROUPS);
          if (beyond === 0) return NOTHING;
          const slice = await removeGroups(tx, Number.MAX_SAFE_INTEGER, Math.min(SLICE, beyond));
          beyond -= slice.gone;
          return slice;
        });
        return { ofLines, ofGroups };
      });
    // The pass ends as soon as the data fits: a flood makes it too large again at once.
    for (let more = await isTooLarge(); more && !stopped(); ) {
      const { ofLines, ofGroups } = await removeSome();
      lines += ofLines.gone;
      removed.lines += ofLines.gone;
      groups += ofGroups.gone;
      removed.groups += ofGroups.gone;
      more = ofLines.more || ofGroups.more;
    }
    if (db.space !== undefined && db.space.fileBytes() > maxBytes) await giveBack(stopped);
    return { groups, lines };
  }

  async function giveBack(stopped: () => boolean): Promise<void> {
    while (!stopped() && (await db.space?.giveBack()));
  }

  async function coarsen(stopped: () => boolean): Promise<void> {
    const beforeMinute = Math.floor((unixSeconds(now()) - MINUTES_KEPT_S) / 3600) * 60;
    while (!stopped()) {
      const last = await store.mergeMinutes(beforeMinute, minutesDoneTo, GROUPS_AT_ONCE);
      if (last === undefined) break;
      minutesDoneTo = last;
    }
    minutesDoneTo = 0;
  }

  return {
    shrink,

    async run(stopped) {
      const groups = await drain(stopped, 'groups', (tx) => removeGroups(tx, before(limits.groupDays)));
      const dropped = await dropPartitions({ beforeS: before(limits.occurrenceDays) });
      const lines = dropped + (await drain(stopped, 'lines', (tx) => removeLines(tx, before(limits.occurrenceDays))));
      if (db.space !== undefined && db.space.unusedBytes() > UNUSED_SHARE * db.space.fileBytes())
        await giveBack(stopped);
      const shrunk = await shrink(stopped);
      await coarsen(stopped);
      const countsBefore = before(limits.groupDays);
      if (countsBefore > 0) {
        await db.write(async (tx) => {
          await store.removeRates(tx, Math.floor(countsBefore / 60));
          await store.removeLedger(tx, countsBefore);
        });
      }
      if (!stopped()) lastRunMs = now();
      return { groups: groups + shrunk.groups, lines: lines + shrunk.lines };
    },

    async closePartition() {
      const beforeDay = Math.floor(unixSeconds(now()) / DAY_S) - daysOfPartition(limits.occurrenceDays) + 1;
      if (!(await store.isPartitionDue(beforeDay))) return;
      await unlessBusy(() => db.write((tx) => store.closePartition(tx, beforeDay)), undefined);
    },

    stats: () => ({ ...removed, lastRunMs }),
    preview: () => store.countOld(before(limits.groupDays), before(limits.occurrenceDays)),
  };
}
