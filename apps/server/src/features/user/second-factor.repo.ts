// Queries about second factors: what has been used is used up, and one statement decides who used it.
import { statement, type Tx } from '@quarterdeck/core/db';
import type { UserRow } from './user.repo.ts';

const BEGIN = statement('UPDATE "user" SET totp_seed = ?, totp_last_step = 0 WHERE id = ? AND totp_since_ms = 0');
const CONFIRM = statement(
  `UPDATE "user" SET totp_since_ms = ?, totp_last_step = ?, modified_ms = ?
   WHERE id = ? AND totp_since_ms = 0 AND totp_seed = ?`,
);
const CLEAR = statement(
  'UPDATE "user" SET totp_seed = NULL, totp_since_ms = 0, totp_last_step = 0, modified_ms = ? WHERE id = ?',
);
const USE_STEP = statement('UPDATE "user" SET totp_last_step = ? WHERE id = ? AND totp_last_step < ?');
const USE_RECOVERY = statement('DELETE FROM recovery_code WHERE code_hash = ? AND user_id = ?');
const FORGET_RECOVERY = statement('DELETE FROM recovery_code WHERE user_id = ?');
const ADD_RECOVERY = statement('INSERT INTO recovery_code (user_id, code_hash) VALUES (?, ?)');

/** Keeps the seed of a second factor that does not count yet; false where there is one that does. */
export const beginSecondFactor = async (tx: Tx, userId: number, seed: Uint8Array): Promise<boolean> =>
  (await tx.sql.run(BEGIN, seed, userId)).changes === 1;

/** Turns a second factor on; false where that has happened, or another one was begun, in the meantime. */
export async function confirmSecondFactor(tx: Tx, user: UserRow, step: number, nowMs: number): Promise<boolean> {
  return (await tx.sql.run(CONFIRM, nowMs, step, nowMs, user.id, user.totp_seed)).changes === 1;
}

/** Turns a second factor off. */
export async function clearSecondFactor(tx: Tx, userId: number, nowMs: number): Promise<void> {
  await tx.sql.run(CLEAR, nowMs, userId);
  await tx.sql.run(FORGET_RECOVERY, userId);
}

/** Uses up the codes of a time step and of all before it; false where that step was used before. */
export const spendStep = async (tx: Tx, userId: number, step: number): Promise<boolean> =>
  (await tx.sql.run(USE_STEP, step, userId, step)).changes === 1;

/** Uses up a recovery code; false where the user has no such code, or no more. */
export const spendRecoveryCode = async (tx: Tx, userId: number, codeHash: Uint8Array): Promise<boolean> =>
  (await tx.sql.run(USE_RECOVERY, codeHash, userId)).changes === 1;

/** Replaces the recovery codes of a user. */
export async function setRecoveryCodes(tx: Tx, userId: number, codeHashes: readonly Uint8Array[]): Promise<void> {
  await tx.sql.run(FORGET_RECOVERY, userId);
  for (const codeHash of codeHashes) await tx.sql.run(ADD_RECOVERY, userId, codeHash);
}
