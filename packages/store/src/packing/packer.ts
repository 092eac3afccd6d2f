// Packs the segments of single batches into large ones, merges small ones, and turns chunks of version 0.1 into
// segments. Everything expensive happens outside of the transactions; each of them holds the writer for some
// milliseconds. A server that is killed leaves either the old segments or the new one.
import { type Database, type Sql, statement, type Tx } from '@quarterdeck/core/db';
import { unixSeconds } from '@quarterdeck/core/plain';
import { tryExclusiveLock } from '@quarterdeck/core/sql';
import { DamagedPart } from '../segments/damage.ts';
import type { DamagedSegment } from '../segments/damage-log.ts';
import { shareGroups } from '../tables/group-lock.ts';
import { insertSegment } from '../tables/segment-rows.ts';
import { type EraseQuery, type EraseReport, eraseLines } from './erase.ts';
import type { OldChunk } from './old-chunks.ts';
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
/** Chunks of one slice, their lines, and bytes of their data. */
const CHUNKS_AT_ONCE = 4_000;
const CHUNK_LINES = 20_000;
const CHUNK_BYTES = 2 * 1024 * 1024;
/** Duration of a round, after which lines that have arrived meanwhile are packed. */
const CONVERT_MS = 500;
const DAY_S = 86_400;

const TRY_LOCK = tryExclusiveLock('packing');

/** Name of the setting with the id of the next line that comes from a chunk. */
const NEXT_OLD_LINE = 'errlog_next_old_line';
const GET_NEXT = statement('SELECT CAST(value AS int8) AS id FROM setting WHERE name = ?');
const SET_NEXT = statement(
  'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
);
const CHUNK_SIZES = statement('SELECT id, n, octet_length(data) AS bytes FROM errlog_chunk ORDER BY id LIMIT ?');
const CHUNKS = statement(
  `SELECT c.id, c.errlog_id, c.from_time, c.to_time, c.data, e.level, e.src, e.app_id,
     coalesce(e.service, '') AS service
   FROM errlog_chunk c JOIN errlog e ON e.id = c.errlog_id WHERE c.id <= ? ORDER BY c.id`,
);
const MEASURE_CHUNKS = statement(
  `SELECT count(*) AS n, CAST(coalesce(sum(c.errlog_id), 0) AS bigint) AS groups
   FROM errlog_chunk c JOIN errlog e ON e.id = c.errlog_id WHERE c.id <= ?`,
);
const DELETE_CHUNKS = statement('DELETE FROM errlog_chunk WHERE id <= ?');

/** Packs the lines of one database. */
export interface Packer {
  /** Packs what is due, until `stopped` returns true. */
  run(stopped: () => boolean): Promise<void>;
  /** Packs everything that waits. */
  packAll(): Promise<void>;
  /** Turns all chunks of version 0.1 into segments. */
  convertChunks(stopped: () => boolean): Promise<void>;
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

/** Creates the packer. `now` is in Unix milliseconds. */
export function createPacker(
  db: Database,
  now: () => number,
  { maxBytes = 0, noteDamage = () => {} }: PackerOptions = {},
): Packer {
  const segmentBytes = segmentBytesWithin(maxBytes);
  const thread = new PackingThread();
  /** Segments before this one will not be merged any more. */
  let settledTo = 0;
  let hasChunks = true;
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
        return (tx) => replaceSegments(tx, stretch, packed);
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

  const convertSome = () =>
    inTurn(async (sql) => {
      const sizes = await sql.all<ChunkSize>(CHUNK_SIZES, CHUNKS_AT_ONCE);
      const upTo = lastOfSlice(sizes);
      hasChunks = upTo !== undefined;
      if (upTo === undefined) return undefined;
      const chunks = await sql.all<OldChunk>(CHUNKS, upTo);
      const firstId = (await sql.get<{ id: number }>(GET_NEXT, NEXT_OLD_LINE))?.id ?? 1;
      const today = Math.floor(unixSeconds(now()) / DAY_S);
      const segments = await thread.run({ kind: 'chunks', chunks, firstId, today });
      return async (tx) => {
        const groups = chunks.reduce((sum, { errlog_id }) => sum + errlog_id, 0);
        const there = await tx.sql.get<{ n: number; groups: number }>(MEASURE_CHUNKS, upTo);
        if (there?.n !== chunks.length || there.groups !== groups) return false;
        await tx.sql.run(DELETE_CHUNKS, upTo);
        for (const segment of segments) await insertSegment(tx, segment);
        settledTo = 0;
        await tx.sql.run(SET_NEXT, NEXT_OLD_LINE, String((segments.at(-1)?.last_id ?? firstId - 1) + 1));
        return true;
      };
    });

  async function packAllFresh(stopped: () => boolean): Promise<void> {
    while (!stopped() && (await packFresh(true)));
  }

  async function convert(stopped: () => boolean): Promise<void> {
    while (hasChunks && !stopped()) if (!(await convertSome())) break;
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
    await convert(() => stopped() || performance.now() - startMs >= CONVERT_MS);
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
    convertChunks: (stopped) => inOrder(() => convert(stopped)),
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

interface ChunkSize {
  readonly id: number;
  readonly n: number;
  readonly bytes: number;
}

/** Id of the last chunk of a slice, undefined without chunks. */
function lastOfSlice(sizes: readonly ChunkSize[]): number | undefined {
  let [lines, size] = [0, 0];
  const beyond = sizes.findIndex(({ n, bytes }, i) => {
    lines += n;
    size += bytes;
    return i > 0 && (lines > CHUNK_LINES || size > CHUNK_BYTES);
  });
  return (beyond === -1 ? sizes.at(-1) : sizes[beyond - 1])?.id;
}
