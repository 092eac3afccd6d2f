// Keys of usernames that have none: users of an earlier version, and users whose key another user has.
import type { Database, Tx } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import { nameKey } from '../../auth/name-key.ts';
import { lockUsers } from './user.repo.ts';

/** A user whose name differs only in case from that of an earlier user. */
interface Duplicate {
  readonly username: string;
  readonly other: string;
}

/**
 * Gives their keys to users without one, in the order of their ids. An earlier version could let in names that differ
 * only in case: the first of them gets the key. The others stay as they are and sign in as before; the log names them.
 */
export async function fillNameKeys(db: Database, log: Logger): Promise<void> {
  if ((await withoutKey(db.read)).length === 0) return;
  const duplicates = await db.write(async (tx) => {
    await lockUsers(tx);
    const found: Duplicate[] = [];
    for (const { id, username } of await withoutKey(tx)) {
      const key = nameKey(username);
      const owner = await tx.prisma.user.findUnique({ where: { nameKey: key }, select: { username: true } });
      if (owner === null) await tx.prisma.user.update({ where: { id }, data: { nameKey: key }, select: { id: true } });
      else found.push({ username, other: owner.username });
    }
    return found;
  });
  for (const { username, other } of duplicates) {
    log.warn({ username, other }, 'two usernames differ only in case; rename or delete one of these users');
  }
}

const withoutKey = ({ prisma }: Tx) =>
  prisma.user.findMany({ where: { nameKey: null }, select: { id: true, username: true }, orderBy: { id: 'asc' } });
