// What one write at a time may decide, of all servers. PostgreSQL knows its locks by numbers alone: they are told apart here.
import { type Statement, statement } from '@quarterdeck/core/db';

/** Every version of Quarterdeck that shares a database must agree on these. */
const LOCKS = { events: 1, errorGroups: 2, audit: 3, users: 4, kernelRules: 5, agentSweep: 6 } as const;

/** What there is a lock for. */
export type Lock = keyof typeof LOCKS;

const take = (how: string, lock: Lock): Statement =>
  // On SQLite writes take turns anyway.
  statement({ sqlite: 'SELECT 1', postgresql: `SELECT ${how}(7080, ${LOCKS[lock]})` });

/** Takes a lock until the write ends. */
export const exclusiveLock = (lock: Lock): Statement => take('pg_advisory_xact_lock', lock);

/** Takes a lock together with others who share it; whoever holds it is waited for. */
export const sharedLock = (lock: Lock): Statement => take('pg_advisory_xact_lock_shared', lock);
