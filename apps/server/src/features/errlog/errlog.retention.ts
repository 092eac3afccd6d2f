// What is forgotten of the error logs, in writes that hold the writer for some milliseconds each:
// - occurrences after a while, but for the last ones of each group; the group's count stays true;
// - groups that were not seen for long, with all that is left of them;
// - the oldest of both where the database has grown beyond its bound;
// - the single minutes of counts: after two days they become hours.
import { unixSeconds } from '@quarterdeck/core';
import type { Database, Tx } from '@quarterdeck/core/db';
import type { Config } from '../../config.ts';
import { errlogStore, type Removed } from '../../errlog-store/errlog-store.ts';

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
  const store = errlogStore(db);
  let minutesDoneTo = 0;

  /** Slices in one write, for a while. */
  const slices = (slice: (tx: Tx) => Promise<Removed>): Promise<Removed> =>
    db.write(async (tx) => {
      await store.lock(tx);
      const endMs = performance.now() + WRITE_MS;
      let total = 0;
      for (;;) {
        const { more, gone } = await slice(tx);
        total += gone;
        if (!more || performance.now() >= endMs) return { more, gone: total };
      }
    });

  /** Runs a slice again and again until it finds nothing more; how many rows went in all. */
  async function drain(stopped: () => boolean, slice: (tx: Tx) => Promise<Removed>): Promise<number> {
    let total = 0;
    while (!stopped()) {
      const { more, gone } = await slices(slice);
      total += gone;
      if (!more) break;
    }
    return total;
  }

  const removeGroups = (tx: Tx, beforeS: number) => store.removeOldGroups(tx, beforeS, SLICE);
  const removeOccurrences = (tx: Tx, beforeS: number) => store.removeOldOccurrences(tx, beforeS, KEPT_PER_GROUP, SLICE);

  /** Whether the database is beyond its bound. */
  const isTooLarge = async (tx?: Tx): Promise<boolean> =>
    limits.maxMb > 0 && (await store.sizeBytes(tx)) > limits.maxMb * 1_000_000;

  async function shrink(stopped: () => boolean): Promise<RetentionReport> {
    let [groups, chunks] = [0, 0];
    // What comes in meanwhile is not among them: it would never be the turn of the groups.
    const sinceS = unixSeconds(now());
    const sliceOf = (remove: typeof removeGroups, beforeS: number) => async (tx: Tx) =>
      (await isTooLarge(tx)) ? remove(tx, beforeS) : { more: false, gone: 0 };
    while (!stopped() && (await isTooLarge())) {
      const dropped = await slices(sliceOf(removeOccurrences, sinceS));
      chunks += dropped.gone;
      if (dropped.more) continue;
      const { more, gone } = await slices(sliceOf(removeGroups, Number.MAX_SAFE_INTEGER));
      groups += gone;
      if (!more) break;
    }
    return { groups, chunks };
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
      const groups = await drain(stopped, (tx) => removeGroups(tx, before(limits.groupDays)));
      const chunks = await drain(stopped, (tx) => removeOccurrences(tx, before(limits.occurrenceDays)));
      const shrunk = await shrink(stopped);
      await coarsen(stopped);
      const ratesBefore = before(limits.groupDays);
      if (ratesBefore > 0) await db.write((tx) => store.removeRates(tx, Math.floor(ratesBefore / 60)));
      return { groups: groups + shrunk.groups, chunks: chunks + shrunk.chunks };
    },

    preview: () => store.countOld(before(limits.groupDays), before(limits.occurrenceDays)),
  };
}
