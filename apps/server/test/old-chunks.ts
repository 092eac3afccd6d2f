// Chunks as version 0.1 stored them, for tests of the upgrade.
import { type Database, statement } from '@quarterdeck/core/db';
import type { Occurrence, Packed } from '../../../packages/store/src/tables/occurrence-chunk.ts';

/** Packs occurrences, of which the first is at `fromTime` at the earliest. */
function packOccurrences(occurrences: readonly Occurrence[], fromTime: number): string {
  const base = occurrences[0]?.log ?? '';
  const packed = occurrences.map(({ time, reqId, count, log, fields }): Packed => {
    let front = 0;
    while (front < Math.min(base.length, log.length) && log[front] === base[front]) front += 1;
    const text = [time - fromTime, front, 0, log.slice(front), count, reqId] as const;
    return fields === undefined ? [...text] : [...text, fields];
  });
  return JSON.stringify([base, ...packed]);
}

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
