// Compresses the rows of a finished hour and stores them again, one behind the other. On SQLite, rows that grow by the
// minute split their pages and leave half of the space empty. PostgreSQL compresses such rows itself.
import type { Database } from '@quarterdeck/core/db';
import { hourOf, lastRowId, storeAgain } from './vitals.repo.ts';

/** Time after an hour in which its last vitals are stored. */
const LATE_MS = 5 * 60_000;

/** Packs the last finished hour, once an hour. */
export type PackFinishedHour = (nowMs: number, stopped: () => boolean) => Promise<void>;

/** Creates the job of a server. */
export function createHourPacker(db: Database): PackFinishedHour {
  let packed = Number.NEGATIVE_INFINITY;
  return async (nowMs, stopped) => {
    const hour = hourOf(nowMs - LATE_MS) - 1;
    if (db.dialect !== 'sqlite' || hour === packed) return;
    // Rows that are stored again come behind this one.
    const last = await lastRowId(db.read);
    while (!stopped() && (await db.write((tx) => storeAgain(tx, hour, last))));
    packed = hour;
  };
}
