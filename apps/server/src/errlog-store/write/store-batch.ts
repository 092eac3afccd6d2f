// Stores a batch of grouped lines in one transaction, with the same steps on both databases.
import type { SqlTx } from '@quarterdeck/core/db';
import { type GroupBatch, Recorder, type StoredBatch } from './batch.ts';
import { Counters } from './counters.ts';
import { storeRows } from './store-rows.ts';
import { storeSets } from './store-sets.ts';

/**
 * Stores a batch. All of it is durable when the surrounding write resolves, or nothing. `nowS` is the server's clock
 * in Unix seconds.
 */
export async function storeBatch(tx: SqlTx, groups: readonly GroupBatch[], nowS: number): Promise<StoredBatch> {
  const batch: StoredBatch = { created: [], repeated: [], regressed: [], unmuted: [] };
  const counters = new Counters();
  const recorder = new Recorder(batch, counters, nowS);
  if (tx.sql.sync === undefined) await storeSets(tx, groups, recorder);
  else storeRows(tx.sql.sync, groups, recorder);
  await counters.apply(tx);
  return batch;
}
