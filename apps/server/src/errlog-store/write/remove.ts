// Removes groups and occurrences with all that is counted of them.
import { type Dialect, statement, type Tx } from '@quarterdeck/core/db';
import { inJson } from '../../sql/among.ts';
import { cached } from '../../sql/cached.ts';
import { errorStatement, removeFingerprint } from '../tables/fingerprint-index.ts';
import { unpackOccurrences } from '../tables/occurrence-chunk.ts';
import { removeText } from '../tables/search-index.ts';
import { Counters } from './counters.ts';

interface Group {
  readonly id: number;
  readonly src: number;
  readonly app_id: number;
  readonly level: number;
  readonly fingerprint: string;
  readonly state: string;
}

/** A chunk to be removed. */
export interface ChunkRow {
  readonly id: number;
  readonly errlog_id: number;
  readonly from_time: number;
  readonly data: string;
}

const CHUNKS = statement('SELECT id, errlog_id, from_time, data FROM errlog_chunk WHERE errlog_id = ? LIMIT ?');
const DELETE_CHUNK = statement('DELETE FROM errlog_chunk WHERE id = ?');
const DELETE_MINUTES = statement('DELETE FROM errlog_minute WHERE errlog_id = ?');
const DELETE_GROUP = statement('DELETE FROM errlog WHERE id = ?');
const OTHERS = errorStatement((condition) => `SELECT 1 AS found FROM errlog e WHERE ${condition} LIMIT 1`);
const GROUP = 'SELECT id, src, app_id, level, fingerprint, state FROM errlog e WHERE';

/** Removes chunks and their request ids. */
export async function removeChunks(tx: Tx, chunks: readonly ChunkRow[], counters: Counters): Promise<void> {
  for (const { id, errlog_id, from_time, data } of chunks) {
    for (const reqId of new Set(unpackOccurrences(data, from_time).map((occurrence) => occurrence.reqId))) {
      if (reqId !== '') counters.request(reqId, errlog_id, -1);
    }
    await tx.sql.run(DELETE_CHUNK, id);
  }
}

/**
 * Removes groups and at most `chunkLimit` of their chunks; a group with more stays for the next call. Returns the
 * number of groups removed. The caller holds the lock of the groups.
 */
export async function removeGroups(
  tx: Tx,
  dialect: Dialect,
  ids: readonly number[],
  chunkLimit: number,
): Promise<number> {
  const groups = await tx.sql.all<Group>(cached(`${GROUP} ${inJson(dialect, 'e.id')}`), JSON.stringify(ids));
  const counters = new Counters();
  let left = chunkLimit;
  let removed = 0;
  for (const { id, src, app_id: appId, level, fingerprint, state } of groups) {
    const chunks = await tx.sql.all<ChunkRow>(CHUNKS, id, left);
    await removeChunks(tx, chunks, counters);
    left -= chunks.length;
    if (left <= 0) break;
    await tx.sql.run(DELETE_MINUTES, id);
    await tx.sql.run(DELETE_GROUP, id);
    await removeText(tx, id);
    await removeFingerprint(tx, dialect, { fingerprint, level, appId, src });
    counters.groups({ src, appId, level }, state, -1);
    if ((await tx.sql.get(OTHERS, fingerprint, level, appId)) === undefined)
      counters.distinctErrors({ appId, level }, -1);
    removed += 1;
  }
  await counters.apply(tx);
  return removed;
}
