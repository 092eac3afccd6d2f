// Advisory locks that all servers share. PostgreSQL identifies them by number.
import { type Statement, statement } from '../open/index.ts';

/** Numbers of the locks. All versions of Quarterdeck that share a database must agree on them. */
const LOCKS = {
  events: 1,
  errorGroups: 2,
  audit: 3,
  users: 4,
  kernelRules: 5,
  agentSweep: 6,
  packing: 7,
  names: 8,
  erasures: 9,
} as const;

/** Name of a lock. */
export type Lock = keyof typeof LOCKS;

const take = (how: string, lock: Lock): Statement =>
  // SQLite has one writer anyway.
  statement({ sqlite: 'SELECT 1', postgresql: `SELECT ${how}(7080, ${LOCKS[lock]})` });

/** Statement that takes a lock until the write ends. */
export const exclusiveLock = (lock: Lock): Statement => take('pg_advisory_xact_lock', lock);

/** Statement that takes a lock until the write ends, if it is free: `locked` is 1 then, else 0. */
export const tryExclusiveLock = (lock: Lock): Statement =>
  statement({
    sqlite: 'SELECT 1 AS locked',
    postgresql: `SELECT pg_try_advisory_xact_lock(7080, ${LOCKS[lock]})::int AS locked`,
  });

/** Statement that takes a lock in shared mode until the write ends; it waits for an exclusive holder. */
export const sharedLock = (lock: Lock): Statement => take('pg_advisory_xact_lock_shared', lock);
