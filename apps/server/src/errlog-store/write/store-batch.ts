// Stores a batch of grouped lines in one transaction, with the same steps on both databases.
import type { SqlTx } from '@quarterdeck/core/db';
import { LedgerEntries } from '../tables/ledger.ts';
import { encodeLines, insertLines, takeLineIds } from './append-lines.ts';
import { type GroupBatch, Recorder, type StoredBatch } from './batch.ts';
import { Counters } from './counters.ts';
import type { Allowance } from './new-group-limit.ts';
import { storeRows } from './store-rows.ts';
import { decideSets, hasUndecided, storeSets, updateSets } from './store-sets.ts';

/**
 * Stores a batch. All of it is durable when the surrounding write resolves, or nothing. The caller shares the lock of
 * the groups. `nowS` is the server's clock in Unix seconds. `mayAdopt`: there may be groups without a service, and no
 * other batch runs.
 */
export async function storeBatch(
  tx: SqlTx,
  groups: readonly GroupBatch[],
  nowS: number,
  { allowance, mayAdopt }: { readonly allowance: Allowance; readonly mayAdopt: boolean },
): Promise<StoredBatch> {
  const batch: StoredBatch = { created: [], repeated: [], regressed: [], unmuted: [] };
  const counters = new Counters();
  const ledger = new LedgerEntries(nowS);
  const recorder = new Recorder(batch, counters, ledger, nowS);
  const { sync } = tx.sql;
  const sets = sync === undefined ? await storeSets(tx, groups, recorder, allowance, mayAdopt) : undefined;
  const lines = sync === undefined ? (sets?.lines ?? []) : storeRows(sync, groups, recorder, allowance, mayAdopt);
  const encoded = encodeLines(lines);
  // Batches of all servers share the following rows: from here on they take turns, until the commit. Statements that
  // do not wait for each other travel together.
  const steps = [takeLineIds(tx, encoded.size)];
  if (sets !== undefined && hasUndecided(sets)) {
    await Promise.all([...steps.splice(0), decideSets(tx, sets, recorder)]);
  }
  if (sets !== undefined) steps.push(updateSets(tx, sets, nowS));
  steps.push(counters.applyMinutes(tx), ledger.apply(tx, counters.shared()), insertLines(tx, encoded, nowS));
  await Promise.all(steps);
  return batch;
}
