// Stores a batch of grouped lines in one transaction, with the same steps on both databases.
import type { SqlTx } from '@quarterdeck/core/db';
import { LedgerEntries } from '../tables/ledger.ts';
import { encodeLines, insertLines, takeLineIds } from './append-lines.ts';
import { type GroupedLines, Recorder, type StoredBatch } from './batch.ts';
import { Counters } from './counters.ts';
import { addNotes, hasNumbers, type LastBatches, NO_NOTES, type PlacedNotes, readLastBatches } from './ledger-notes.ts';
import type { Allowance } from './new-group-limit.ts';
import { storeRows } from './store-rows.ts';
import { countFirst, decideStates, hasUndecided, storeSets, updateSets } from './store-sets.ts';

export interface BatchConditions {
  readonly allowance: Allowance;
  /** Notes for the ledger. */
  readonly notes?: PlacedNotes;
}

/**
 * Stores a batch. All of it is durable when the surrounding write resolves, or nothing. The caller shares the lock of
 * the groups. On PostgreSQL the last statements are left running, and fail the write if they fail. `nowS` is the
 * server's clock in Unix seconds.
 */
export async function storeBatch(
  tx: SqlTx,
  { groups, lines }: GroupedLines,
  nowS: number,
  { allowance, notes = NO_NOTES }: BatchConditions,
): Promise<StoredBatch> {
  const batch: StoredBatch = { created: [], repeated: [], regressed: [], unmuted: [] };
  const counters = new Counters();
  const ledger = new LedgerEntries(nowS);
  const recorder = new Recorder(batch, counters, ledger, lines);
  const { sync } = tx.sql;
  const sets = sync === undefined ? await storeSets(tx, groups, recorder, allowance) : undefined;
  const content = sync === undefined ? (sets?.content ?? []) : storeRows(sync, groups, recorder, allowance);
  const encoded = encodeLines(lines, content);
  // Batches of all servers share the following rows: from here on they take turns, until the commit. Statements that
  // do not wait for each other travel together, and the commit behind them.
  const taken = takeLineIds(tx, encoded.size);
  let last: LastBatches = new Map();
  const isUndecided = sets !== undefined && hasUndecided(sets);
  if (isUndecided || hasNumbers(notes)) {
    const deciding = isUndecided && decideStates(tx, sets, recorder);
    [last] = await Promise.all([readLastBatches(tx, notes), deciding, taken]);
  }
  const ending = Promise.all([
    taken,
    sets !== undefined && countFirst(tx, sets),
    sets !== undefined && updateSets(tx, sets, nowS),
    counters.applyMinutes(tx),
    addNotes(tx, ledger, notes, last),
    ledger.apply(tx, counters.shared()),
    insertLines(tx, encoded, nowS),
  ]);
  if (sync !== undefined) await ending;
  else ending.catch(() => {});
  return batch;
}
