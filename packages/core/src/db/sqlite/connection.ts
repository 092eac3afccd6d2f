// Connections to the SQLite file, with the settings without which SQLite would lose data or stall the process.
import BetterSqlite3, { type Database as Connection } from 'better-sqlite3';
import { DatabaseError } from '../database-error.ts';
import { type DiskLimits, diskLimits } from './disk-limits.ts';

/** Time for which SQLite may sleep, and the event loop with it, before it reports that the file is locked. */
const busyTimeoutMs = 250;

/** Part that makes the commits of a connection durable: SQLite in each of them, or the owner of the connection. */
export type Durability = 'in commits' | 'by its owner';

/** Opens a connection that writes. One whose owner syncs its commits must also copy the write-ahead log to the file. */
export function openWriter(
  file: string,
  { walBytes, walPages }: DiskLimits = diskLimits(),
  durability: Durability = 'in commits',
): Connection {
  const [level, name] = durability === 'in commits' ? [2, 'FULL'] : [1, 'NORMAL'];
  const connection = new BetterSqlite3(file, { fileMustExist: true, timeout: busyTimeoutMs });
  try {
    const journal = connection.pragma('journal_mode = WAL', { simple: true });
    if (journal !== 'wal')
      throw new DatabaseError('unsafe', `${file} cannot use a write-ahead log (it uses: ${journal}).`);
    // NORMAL syncs the write-ahead log before it is copied to the file, not at commit.
    connection.pragma(`synchronous = ${name}`);
    const synchronous = connection.pragma('synchronous', { simple: true });
    if (synchronous !== level) throw new DatabaseError('unsafe', `${file} does not sync its commits.`);
    connection.pragma('foreign_keys = ON');
    connection.pragma(`journal_size_limit = ${walBytes}`);
    // Owners that sync also do this by themselves, while no caller waits.
    connection.pragma(`wal_autocheckpoint = ${durability === 'in commits' ? walPages : 0}`);
    harden(connection);
    // The queue of writes waits without blocking, so SQLite itself never waits.
    connection.pragma('busy_timeout = 0');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Opens a connection that sees only committed data and cannot write. */
export function openReader(file: string): Connection {
  const connection = new BetterSqlite3(file, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });
  try {
    harden(connection);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function harden(connection: Connection): void {
  connection.pragma(`busy_timeout = ${busyTimeoutMs}`);
  // The file is data: a schema that somebody wrote into it must not run functions.
  connection.pragma('trusted_schema = OFF');
  connection.pragma('cell_size_check = ON');
  // A sort must not fail because the disk is full.
  connection.pragma('temp_store = MEMORY');
}
