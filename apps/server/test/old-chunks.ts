// Chunks as version 0.1 stored them, for tests of the upgrade.
import { type Database, statement } from '@quarterdeck/core/db';
import type { Occurrence, Packed } from '../src/errlog-store/tables/occurrence-chunk.ts';

/** Packs occurrences. `fromTime` is the earliest of their times. */
export function packOccurrences(occurrences: readonly Occurrence[], fromTime: number): string {
  const base = occurrences[0]?.log ?? '';
  const packed = occurrences.map((occurrence) => pack(base, occurrence, fromTime));
  return JSON.stringify([base, ...packed]);
}

function pack(base: string, { time, reqId, count, log, fields }: Occurrence, fromTime: number): Packed {
  const after = time - fromTime;
  const plain = count === 1 && reqId === '' && fields === undefined;
  if (log === base) {
    if (plain) return [after];
    return fields === undefined
      ? [after, base.length, 0, '', count, reqId]
      : [after, base.length, 0, '', count, reqId, fields];
  }
  const front = sharedFront(base, log);
  const back = sharedBack(base, log, front);
  const middle = log.slice(front, log.length - back);
  if (plain) return [after, front, back, middle];
  return fields === undefined
    ? [after, front, back, middle, count, reqId]
    : [after, front, back, middle, count, reqId, fields];
}

function sharedFront(a: string, b: string): number {
  const max = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < max && a.charCodeAt(shared) === b.charCodeAt(shared)) shared += 1;
  // Half a character is not well-formed Unicode, which PostgreSQL refuses.
  return shared > 0 && isHighSurrogate(a.charCodeAt(shared - 1)) ? shared - 1 : shared;
}

function sharedBack(a: string, b: string, front: number): number {
  const max = Math.min(a.length, b.length) - front;
  let shared = 0;
  while (shared < max && a.charCodeAt(a.length - 1 - shared) === b.charCodeAt(b.length - 1 - shared)) shared += 1;
  return shared > 0 && isLowSurrogate(a.charCodeAt(a.length - shared)) ? shared - 1 : shared;
}

const isHighSurrogate = (unit: number) => (unit & 0xfc00) === 0xd800;
const isLowSurrogate = (unit: number) => (unit & 0xfc00) === 0xdc00;

const GROUP = statement(
  `INSERT INTO errlog (id, src, node_type, app_id, level, fingerprint, log, count, first_seen, log_time, service)
   VALUES (?, 0, 1, ?, ?, ?, 'x', 1, 1, 1, ?)`,
);
const CHUNK = statement(
  'INSERT INTO errlog_chunk (id, errlog_id, from_time, to_time, n, data) VALUES (?, ?, ?, ?, ?, ?)',
);
const NEXT_LINE = statement("UPDATE setting SET value = CAST(? AS text) WHERE name = 'errlog_next_line'");

const CHUNKS_AT_ONCE = 250;

/** Lines of one group that arrived together. */
export interface GroupChunk {
  readonly group: number;
  readonly occurrences: readonly Occurrence[];
}

/** Stores chunks as the migration leaves them. The groups 1 to 5 exist; chunks of others have lost their group. */
export async function storeChunks(db: Database, chunks: readonly GroupChunk[]): Promise<void> {
  await db.write(async (tx) => {
    for (let id = 1; id <= 5; id += 1) await tx.sql.run(GROUP, id, id, id, `print ${id}`, id === 1 ? 'nginx' : null);
    const lines = chunks.reduce((sum, { occurrences }) => sum + occurrences.length, 0);
    await tx.sql.run(NEXT_LINE, String(1 + lines));
  });
  // A write has its time, also on a machine that has other things to do.
  for (let at = 0; at < chunks.length; at += CHUNKS_AT_ONCE) {
    await db.write(async (tx) => {
      for (const [i, { group, occurrences }] of chunks.slice(at, at + CHUNKS_AT_ONCE).entries()) {
        const times = occurrences.map(({ time }) => time);
        const [from, to] = [Math.min(...times), Math.max(...times)];
        const data = packOccurrences(occurrences, from);
        await tx.sql.run(CHUNK, 1 + (at + i) * 3, group, from, to, occurrences.length, data);
      }
    });
  }
}
