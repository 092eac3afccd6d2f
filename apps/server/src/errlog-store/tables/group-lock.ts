// The lock of the groups and of their kept numbers.
import type { Dialect, SqlTx } from '@quarterdeck/core/db';
import { exclusiveLock } from '../../sql/locks.ts';

const LOCK = exclusiveLock('errorGroups');

/**
 * Lets one write at a time change groups, on all servers. Batches of several servers would lock the same groups and
 * counters in different orders, and deadlock.
 */
export async function lockGroups(tx: SqlTx, dialect: Dialect): Promise<void> {
  if (dialect === 'postgresql') await tx.sql.all(LOCK);
}
