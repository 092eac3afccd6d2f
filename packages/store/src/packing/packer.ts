// Packs the segments of single batches into large ones, and merges small ones. Everything expensive happens outside of
// the transactions; each of them holds the writer for some milliseconds. A server that is killed leaves either the old
// segments or the new one.
import type { Database, Sql, Tx } from '@quarterdeck/core/db';
import { tryExclusiveLock } from '@quarterdeck/core/sql';
import { DamagedPart } from '../segments/damage.ts';
import type { DamagedSegment } from '../segments/damage-log.ts';
import { shareGroups } from '../tables/group-lock.ts';
import { type EraseQuery, type EraseReport, eraseLines } from './erase.ts';
import { findMerge, MERGED_MAX, segmentBytesWithin, soundRun, takeRun } from './packing-plan.ts';
import { PackingThread } from './packing-thread.ts';
import {
  readFreshHeads,
  readHeads,
  readSegments,
  replaceSegments,
  type SegmentHead,
  stretchOf,
} from './segment-table.ts';

/** Time after which all segments that wait are packed, also a few lines. Lines are packed within a minute. */
const ALL_EVERY_MS = 45_000;
/** Heads of packed segments that are looked at together. */
const HEADS_AT_ONCE = 1_000;
const TRY_LOCK = tryExclusiveLock('packing');

/** Packs the lines of one database. */
export interface Packer {
  /** Packs what is due, until `stopped` returns true. */
  run(stopped: () => boolean): Promise<void>;
  /** Packs everything that waits. */
  packAll(): Promise<void>;
  /** Runs work while this server packs nothing. */
  alone(work: () => Promise<void>): Promise<void>;
  /** Erases lines and the texts of their groups; only counts them in a dry run. Copies of the texts stay. */
  erase(query: EraseQuery, dryRun: boolean): Promise<EraseReport>;
  /** Packs everything that waits and ends the thread. */
  close(): Promise<void>;
}

export interface PackerOptions {
  /** Bound of the data in bytes; 0, the default, is no bound. */
  readonly maxBytes?: number;
  /** Takes segments that cannot be packed because they are damaged. */
  readonly noteDamage?: (damaged: readonly DamagedSegment[]) => void;
}

/** Creates the packer. */
export function createPacker(db: Database, { maxBytes = 0, noteDamage = () => {} }: PackerOptions = {}): Packer {
  const segmentBytes = segmentBytesWithin(maxBytes);
  const thread = new PackingThread();
  /** Segments before this one will not be merged any more. */
  let settledTo = 0;
  /** Segments that are left as they are. */
  const damaged = new Set<number>();
  let allPackedMs = Number.NEGATIVE_INFINITY;

  /**
   * Prepares a change outside of the transaction that applies it. On PostgreSQL only one server does so at a time, and
   * both share a transaction: its lock ends with the server.
   */
  async function inTurn(prepare: (sql: Sql) => Promise<Apply | undefined>): Promise<boolean> {
    if (db.dialect === 'sqlite') {
      const apply = await prepare(db.read.sql);
      return apply !== undefined && (await db.write(apply, { bulk: true }));
    }
    return await db.write(async (tx) => {
      if ((await tx.sql.get<{ locked: number }>(TRY_LOCK))?.locked !== 1) return false;
      const apply = await prepare(tx.sql);
      if (apply === undefined) return false;
      // Batches add segments behind these. Removal and erasure, which change these, wait.
      await shareGroups(tx, db.dialect);
      return await apply(tx);
    });
  }

  /** Merges segments that follow each other. Returns undefined where `choose` finds none. */
  const merge = (choose: (sql: Sql) => Promise<readonly SegmentHead[] | undefined>) =>
    inTurn(async (sql) => {
      const heads = await choose(sql);
      if (heads === undefined) return undefined;
      const stretch = stretchOf(heads);
      const segments = await readSegments(sql, stretch);
      const spans = new Map(segments.map(({ id, from_time: from, to_time: to }) => [id, { from, to }]));
      try {
        const packed = await thread.run({ kind: 'merge', segments });
        return (tx) => replaceSegments(tx, db.dialect, stretch, packed);
      } catch (error) {
        if (!(error instanceof DamagedPart)) throw error;
        const { segment: id, part } = error;
        damaged.add(id);
        noteDamage([{ id, parts: [part], ...(spans.get(id) ?? { from: 0, to: 0 }) }]);
        // The others are packed in the next round.
        return async () => true;
      }
    });

  const packFresh = (all: boolean) =>
    merge(async (sql) => {
      const fresh = soundRun(await readFreshHeads(sql, MERGED_MAX + 1), damaged);
      const { heads, isFull } = takeRun(fresh, segmentBytes);
      return heads.length > 0 && (all || isFull) ? heads : undefined;
    });

  const mergeSmall = () =>
    merge(async (sql) => {
      for (;;) {
        const heads = await readHeads(sql, settledTo, HEADS_AT_ONCE);
        const found = findMerge(heads, segmentBytes, damaged);
        if (found !== undefined || heads.length < HEADS_AT_ONCE) return found;
        // Later segments can only join those of the last day.
        const last = heads.at(-1);
        const ofLastDay = heads.find(({ day }) => day === last?.day);
        settledTo = (ofLastDay === heads[0] ? last : ofLastDay)?.id ?? 0;
      }
    });

  async function packAllFresh(stopped: () => boolean): Promise<void> {
    while (!stopped() && (await packFresh(true)));
  }

  async function packAll(stopped: () => boolean): Promise<void> {
    await packAllFresh(stopped);
    while (!stopped() && (await mergeSmall()));
  }

  async function run(stopped: () => boolean): Promise<void> {
    const startMs = performance.now();
    while (!stopped() && (await packFresh(false)));
    if (startMs - allPackedMs >= ALL_EVERY_MS) {
      await packAll(stopped);
      allPackedMs = startMs;
    }
  }

  let last: Promise<void> = Promise.resolve();
  /** Runs after all earlier calls. */
  function inOrder(work: () => Promise<void>): Promise<void> {
    last = last.then(work, work);
    return last;
  }

  const packer: Packer = {
    run: (stopped) => inOrder(() => run(stopped)),
    packAll: () => inOrder(() => packAll(() => false)),
    alone: inOrder,
    erase: (query, dryRun) => eraseLines(db, packer, query, dryRun),
    async close() {
      // A failure changes nothing: the next start packs what is left.
      await inOrder(() => packAllFresh(() => false)).catch(() => {});
      await thread.end();
    },
  };
  return packer;
}

/** The part of a change that runs in its transaction. Returns false where the data is not the same any more. */
type Apply = (tx: Tx) => Promise<boolean>;
