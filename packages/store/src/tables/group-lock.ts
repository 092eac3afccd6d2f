// The lock of the groups and of their kept numbers.
import type { Dialect, SqlTx } from '@quarterdeck/core/db';
import { exclusiveLock, sharedLock } from '@quarterdeck/core/sql';

const EXCLUSIVE = exclusiveLock('errorGroups');
const SHARED = sharedLock('errorGroups');

/** Lets one write at a time change groups, on all servers. Other writes wait for it, and it waits for all of them. */
export async function lockGroups(tx: SqlTx, dialect: Dialect): Promise<void> {
  if (dialect === 'postgresql') await tx.sql.all(EXCLUSIVE);
}

/**
 * Lets several writes at a time change groups, on all servers, but none that holds {@link lockGroups}. They lock the
 * rows of groups in the order of their keys (decision 063).
 */
export async function shareGroups(tx: SqlTx, dialect: Dialect): Promise<void> {
  if (dialect === 'postgresql') await tx.sql.all(SHARED);
}
