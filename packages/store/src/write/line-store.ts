// Stores lines: the part of the store that a thread uses, which has a transaction and no database.
import type { ErrlogReceipt } from '@quarterdeck/core';
import type { Dialect, SqlTx } from '@quarterdeck/core/db';
import { unixSeconds } from '@quarterdeck/core/plain';
import { CorrectionsReader } from '../tables/corrections.ts';
import { shareGroups } from '../tables/group-lock.ts';
import { type Sender, SourceIds, type StoredNames, storedNames } from '../tables/sources.ts';
import type { StoredBatch } from './batch.ts';
import { groupLines } from './group-lines.ts';
import { isOfSentry, type LedgerNotes, NO_NOTES, placeNotes } from './ledger-notes.ts';
import type { LineColumns } from './line-columns.ts';
import { NewGroupLimit } from './new-group-limit.ts';
import { claimReceipt, earlierAnswer, type Receipt } from './receipts.ts';
import { storeBatch } from './store-batch.ts';

/** Lines stored in one transaction. */
export interface StoredLines {
  readonly batch: StoredBatch;
  /** To be called once the transaction is durable. */
  onCommitted(): void;
}

/** Stores lines. All calls of one transaction come after {@link LineStore.lock}. */
export interface LineStore {
  /** Keeps other writes from changing groups; those that store lines, of any server, run at the same time. */
  lock(tx: SqlTx): void;
  /**
   * The answer that a receipt was given before.
   *
   * @throws AppError `idempotency_conflict` where the key came with another body
   */
  earlierAnswer(tx: SqlTx, receipt: Pick<Receipt, 'owner' | 'key' | 'bodyHash'>): Promise<ErrlogReceipt | undefined>;
  /**
   * Stores a receipt. Returns the answer of another server that has stored it meanwhile.
   *
   * @throws AppError `idempotency_conflict` where the key came there with another body
   */
  claimReceipt(tx: SqlTx, receipt: Receipt): Promise<ErrlogReceipt | undefined>;
  /** Names of hosts and services that senders gave before, at most `limit` each. */
  storedNames(tx: SqlTx, limit: number): Promise<StoredNames>;
  /**
   * Stores lines, their sources, all that is counted, and notes, as the last part of the transaction. `nowMs` is in
   * Unix milliseconds.
   */
  store(tx: SqlTx, batches: readonly LineColumns[], nowMs: number, notes?: LedgerNotes): Promise<StoredLines>;
}

/**
 * A store of lines; it remembers the ids of sources and the new groups of each sender, of which `newGroups` are allowed
 * in a minute.
 */
export function createLineStore(dialect: Dialect, newGroups: number): LineStore {
  const sources = new SourceIds();
  const corrections = new CorrectionsReader();
  const limit = new NewGroupLimit(newGroups);
  return {
    lock(tx) {
      // Sent with what follows, which waits for it in the database. A failure fails the write.
      shareGroups(tx, dialect).catch(() => {});
    },
    earlierAnswer: (tx, receipt) => earlierAnswer(tx.sql, receipt),
    claimReceipt,
    storedNames,
    async store(tx, batches, nowMs, notes: LedgerNotes = NO_NOTES) {
      const [{ ids, found }, corrected] = await Promise.all([
        sources.find(tx, sendersOf(batches, notes), nowMs),
        corrections.read(tx.sql),
      ]);
      const allowance = limit.open(nowMs);
      const nowS = unixSeconds(nowMs);
      const idOf = async (sender: Sender) => ids.get(sender) ?? sources.knownId(tx, sender);
      const conditions = { allowance, notes: await placeNotes(notes, batches, idOf) };
      const batch = await storeBatch(tx, groupLines(batches, ids, corrected), nowS, conditions);
      const onCommitted = () => {
        sources.remember(found);
        allowance.commit();
      };
      return { batch, onCommitted };
    },
  };
}

function sendersOf(batches: readonly LineColumns[], notes: LedgerNotes): Set<Sender> {
  const senders = new Set(notes.batches.filter(({ numbers }) => numbers !== undefined).map(({ sender }) => sender));
  // A program may send nothing but items that are no lines.
  for (const { sender, stage } of notes.losses) if (isOfSentry(stage)) senders.add(sender);
  for (const batch of batches) for (const sender of batch.senders) senders.add(sender);
  return senders;
}
