// Queries about second factors. A code is used up by one statement, so of two equal codes only one is accepted.
import type { Tx } from '@quarterdeck/core/db';
import type { UserRow } from './user.repo.ts';

/** Stores the seed of a second factor that is not confirmed yet; false where the user has a confirmed one. */
export async function beginSecondFactor(tx: Tx, userId: number, seed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const { count } = await tx.prisma.user.updateMany({
    where: { id: userId, totpSinceMs: 0 },
    data: { totpSeed: seed, totpLastStep: 0 },
  });
  return count === 1;
}

/** Turns a second factor on; false where it was turned on, or begun again, in the meantime. */
export async function confirmSecondFactor(tx: Tx, user: UserRow, step: number, nowMs: number): Promise<boolean> {
  const { count } = await tx.prisma.user.updateMany({
    where: { id: user.id, totpSinceMs: 0, totpSeed: user.totpSeed },
    data: { totpSinceMs: nowMs, totpLastStep: step, modifiedMs: nowMs },
  });
  return count === 1;
}

/** Turns a second factor off, and deletes the recovery codes. */
export async function clearSecondFactor(tx: Tx, userId: number, nowMs: number): Promise<void> {
  await tx.prisma.user.updateMany({
    where: { id: userId },
    data: { totpSeed: null, totpSinceMs: 0, totpLastStep: 0, modifiedMs: nowMs },
  });
  await tx.prisma.recoveryCode.deleteMany({ where: { userId } });
}

/** Uses up the codes of a time step and of all steps before it; false where that step was used before. */
export async function consumeTotpStep(tx: Tx, userId: number, step: number): Promise<boolean> {
  const { count } = await tx.prisma.user.updateMany({
    where: { id: userId, totpLastStep: { lt: step } },
    data: { totpLastStep: step },
  });
  return count === 1;
}

/** Uses up a recovery code; false where the user has no such code. */
export async function consumeRecoveryCode(
  tx: Tx,
  userId: number,
  codeHashes: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  const { count } = await tx.prisma.recoveryCode.deleteMany({ where: { userId, codeHash: { in: [...codeHashes] } } });
  return count === 1;
}

/** Replaces the recovery codes of a user. */
export async function storeRecoveryCodes(
  tx: Tx,
  userId: number,
  codeHashes: readonly Uint8Array<ArrayBuffer>[],
): Promise<void> {
  await tx.prisma.recoveryCode.deleteMany({ where: { userId } });
  await tx.prisma.recoveryCode.createMany({ data: codeHashes.map((codeHash) => ({ userId, codeHash })) });
}
