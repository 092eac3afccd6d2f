// Queries about the networks that users have signed in from. Guesses from elsewhere cannot lock out a known network.
import type { Tx } from '@quarterdeck/core/db';

/** Time for which a network counts as known after a sign-in from it. */
export const NETWORK_KNOWN_MS = 30 * 24 * 3_600_000;

/** True where the user of a name has signed in from a network within {@link NETWORK_KNOWN_MS}. */
export async function isKnownNetwork(tx: Tx, username: string, network: string, nowMs: number): Promise<boolean> {
  const known = await tx.prisma.knownAddress.findFirst({
    where: { address: network, lastMs: { gt: nowMs - NETWORK_KNOWN_MS }, user: { username } },
    select: { userId: true },
  });
  return known !== null;
}

/** Records that a user has signed in from a network. */
export async function recordNetwork(tx: Tx, userId: number, network: string, nowMs: number): Promise<void> {
  await tx.prisma.knownAddress.upsert({
    where: { userId_address: { userId, address: network } },
    create: { userId, address: network, lastMs: nowMs },
    update: { lastMs: nowMs },
  });
}

/** Deletes the known networks of a user. */
export async function removeNetworks(tx: Tx, userId: number): Promise<void> {
  await tx.prisma.knownAddress.deleteMany({ where: { userId } });
}

/** Deletes up to `limit` networks that are not known any more; returns how many. */
export async function removeOldNetworks(tx: Tx, nowMs: number, limit: number): Promise<number> {
  const where = { lastMs: { lte: nowMs - NETWORK_KNOWN_MS } };
  return (await tx.prisma.knownAddress.deleteMany({ where, limit })).count;
}
