// Queries about counted attempts, in the table `throttle`.
import type { Throttle as ThrottleRow, Tx } from '@quarterdeck/core/db';

export type { ThrottleRow };

/** Reads a row; null where nothing is counted for the key. */
export const findThrottle = (tx: Tx, key: string): Promise<ThrottleRow | null> =>
  tx.prisma.throttle.findUnique({ where: { key } });

/**
 * Locks a row until the end of the write, and creates it where it is missing. The update changes nothing: one statement
 * (`ON CONFLICT DO UPDATE`) makes other writes about the key wait, so a later statement may use what it returned.
 */
export const lockThrottle = (tx: Tx, key: string, nowMs: number): Promise<ThrottleRow> =>
  tx.prisma.throttle.upsert({
    where: { key },
    create: { key, failures: 0, sinceMs: nowMs },
    update: { failures: { increment: 0 } },
  });

/** Changes a row. Needs {@link lockThrottle}. */
export async function updateThrottle(
  tx: Tx,
  key: string,
  data: Partial<Record<'failures' | 'sinceMs' | 'blockedUntilMs' | 'openAttempts' | 'openUntilMs', number>>,
): Promise<void> {
  await tx.prisma.throttle.updateMany({ where: { key }, data });
}

/** Closes an open attempt: it stays counted. */
export async function closeAttempt(tx: Tx, key: string): Promise<void> {
  await tx.prisma.throttle.updateMany({
    where: { key, openAttempts: { gt: 0 } },
    data: { openAttempts: { decrement: 1 } },
  });
}

/** Closes an open attempt and takes it back. */
export async function takeBackAttempt(tx: Tx, key: string, nowMs: number): Promise<void> {
  await closeAttempt(tx, key);
  await tx.prisma.throttle.updateMany({
    where: { key, failures: { gt: 0 } },
    data: { failures: { decrement: 1 }, blockedUntilMs: nowMs },
  });
}

/** Closes an open attempt and resets the count. Attempts of others that are still open stay counted. */
export async function resetAttempts(tx: Tx, key: string, nowMs: number): Promise<void> {
  const { count } = await tx.prisma.throttle.deleteMany({ where: { key, openAttempts: { lte: 1 } } });
  if (count > 0) return;
  // This update locks the row, so the number read after it stays true.
  await closeAttempt(tx, key);
  const row = await findThrottle(tx, key);
  if (row !== null) await updateThrottle(tx, key, { failures: row.openAttempts, blockedUntilMs: nowMs });
}

/** Removes the counts of some keys, and of all keys that start with one of the prefixes. */
export async function removeAttempts(tx: Tx, keys: readonly string[], prefixes: readonly string[]): Promise<void> {
  const where = [{ key: { in: [...keys] } }, ...prefixes.map((startsWith) => ({ key: { startsWith } }))];
  await tx.prisma.throttle.deleteMany({ where: { OR: where } });
}

/**
 * Removes up to `limit` counts that began before a time and have blocked nobody since; returns how many. A count that
 * still blocks stays, however old it is.
 */
export async function removeOldAttempts(tx: Tx, beforeMs: number, limit: number): Promise<number> {
  const where = { sinceMs: { lte: beforeMs }, blockedUntilMs: { lte: beforeMs } };
  return (await tx.prisma.throttle.deleteMany({ where, limit })).count;
}
