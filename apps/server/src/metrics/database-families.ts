// Metrics of the database.
import type { Database } from '@quarterdeck/core/db';
import { byLabel, type Family, histogram, single } from './family.ts';
import type { InstallationReader } from './installation.ts';

/** Times, queues and sizes of the database. */
export function databaseFamilies(
  db: Pick<Database, 'dialect' | 'statementTimes' | 'queue'>,
  installation: Pick<InstallationReader, 'latest'>,
): readonly Family[] {
  const { statementTimes: times } = db;
  return [
    histogram(
      'quarterdeck_database_statement_duration_seconds',
      'Time of statements by operation and table; those of threads are not counted',
      () =>
        Array.from(times.families(), ({ operation, table, durations }) => [{ operation, table }, durations] as const),
    ),
    histogram(
      'quarterdeck_database_write_duration_seconds',
      'Time from the call of a write to its commit; bulk writes store log lines',
      () => (['small', 'bulk'] as const).map((kind) => [{ kind }, times.writes[kind]] as const),
    ),
    single(
      'gauge',
      'quarterdeck_database_waiting',
      'SQLite: writes that wait for others. PostgreSQL: statements that wait for a connection',
      () => db.queue().waiting,
    ),
    byLabel(
      'gauge',
      'quarterdeck_database_connections',
      'Open connections to PostgreSQL',
      'state',
      () => db.queue().connections,
    ),
    byLabel(
      'gauge',
      'quarterdeck_database_size_bytes',
      'Size of the database by part: file, wal, reserve; on PostgreSQL database',
      'part',
      () => installation.latest()?.databaseSize,
    ),
    single(
      'gauge',
      'quarterdeck_database_unused_bytes',
      'Unused pages in the file of SQLite',
      () => installation.latest()?.unusedBytes,
    ),
  ];
}
