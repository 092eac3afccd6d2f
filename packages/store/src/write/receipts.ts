// Receipts of batches with an Idempotency-Key: the answer is stored in the write of the lines, so that a repeated
// batch counts once even if the first answer was lost.
import type { ErrlogReceipt } from '@quarterdeck/core';
import { type Sql, type SqlTx, statement, type Tx } from '@quarterdeck/core/db';
import { AppError } from '@quarterdeck/core/plain';

/** Key of a batch. */
export interface ReceiptKey {
  /** The credential of the sender: keys of different senders are different keys. */
  readonly owner: string;
  readonly key: string;
}

/** A key with the hash of its body and the answer. */
export interface Receipt extends ReceiptKey {
  readonly bodyHash: Uint8Array;
  readonly answer: ErrlogReceipt;
  readonly timeMs: number;
}

const CLAIM = statement(
  `INSERT INTO errlog_receipt (owner, key, body_hash, answer, time_ms) VALUES (?, ?, ?, ?, ?)
   ON CONFLICT (owner, key) DO NOTHING`,
);
const FIND = statement('SELECT body_hash, answer FROM errlog_receipt WHERE owner = ? AND key = ?');
const REMOVE = statement(
  `DELETE FROM errlog_receipt WHERE (owner, key) IN
   (SELECT owner, key FROM errlog_receipt WHERE time_ms < ? ORDER BY time_ms LIMIT ?)`,
);

/**
 * Stores a receipt in the write of its lines. Returns the answer of another server that has stored it meanwhile: on
 * PostgreSQL the insert waits for that one to commit.
 *
 * @throws AppError `idempotency_conflict` where the key came there with another body
 */
export async function claimReceipt(tx: SqlTx, receipt: Receipt): Promise<ErrlogReceipt | undefined> {
  const { owner, key, bodyHash, answer, timeMs } = receipt;
  const { changes } = await tx.sql.run(CLAIM, owner, key, bodyHash, JSON.stringify(answer), timeMs);
  return changes === 0 ? await earlierAnswer(tx.sql, receipt) : undefined;
}

/**
 * Returns the answer that a key was given before.
 *
 * @throws AppError `idempotency_conflict` where the key came with another body
 */
export async function earlierAnswer(
  sql: Sql,
  { owner, key, bodyHash }: Pick<Receipt, 'owner' | 'key' | 'bodyHash'>,
): Promise<ErrlogReceipt | undefined> {
  const row = await sql.get<{ body_hash: Uint8Array; answer: string }>(FIND, owner, key);
  if (row === undefined) return undefined;
  if (Buffer.compare(row.body_hash, bodyHash) !== 0) throw new AppError('idempotency_conflict');
  return JSON.parse(row.answer) as ErrlogReceipt;
}

/** Removes some old receipts; returns their number. */
export async function removeReceipts(tx: Tx, beforeMs: number, limit: number): Promise<number> {
  return (await tx.sql.run(REMOVE, beforeMs, limit)).changes;
}
