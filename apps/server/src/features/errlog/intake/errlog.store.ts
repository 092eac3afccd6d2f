// Writes of the error log: a batch of grouped lines in one transaction. The same steps on both databases.
import type { Dialect, Door } from '@quarterdeck/core/db';
import { type GroupBatch, Recorder, type StoredBatch } from './errlog.batch.ts';
import { Counters } from './errlog.counters.ts';
import { storeRows } from './errlog.store-rows.ts';
import { storeSets } from './errlog.store-sets.ts';

/**
 * Stores a batch. Either all of it is durable when the surrounding write resolves, or nothing. `nowS` is the server's
 * clock in Unix seconds.
 */
export async function storeBatch(
  tx: Door,
  dialect: Dialect,
  groups: readonly GroupBatch[],
  nowS: number,
): Promise<StoredBatch> {
  const batch: StoredBatch = { created: [], repeated: [], regressed: [], unmuted: [] };
  const counters = new Counters();
  await (dialect === 'sqlite' ? storeRows : storeSets)(tx, groups, new Recorder(tx, batch, counters, nowS));
  await counters.apply(tx, dialect);
  return batch;
}
