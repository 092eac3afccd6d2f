// One real PostgreSQL for all tests through HTTP; each test file creates its own database.
import { tmpdir } from 'node:os';
import type { TestProject } from 'vitest/node';
import { startPostgres } from '../../../packages/core/test/postgres.ts';
import { makeTemplate } from '../../../packages/core/test/template.ts';
import { memoryFolder } from '../../../test/memory-folder.ts';
import { bundleThreads } from './bundle-threads.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the maintenance database; absent where the tests run on SQLite. */
    postgresUrl: string;
    /** Name of a database with today's tables and no rows, of which others are copies. */
    postgresTemplate: string;
  }
}

/** No standby follows, and no table lives long enough to need a vacuum. */
const FLAGS = ['max_connections=300', 'fsync=on', 'wal_level=minimal', 'max_wal_senders=0', 'autovacuum=off'].flatMap(
  (setting) => ['-c', setting],
);

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await bundleThreads();
  // No test is about a power cut, and waiting for the disk would take much of the time.
  const postgres = await startPostgres(FLAGS, memoryFolder() ?? tmpdir());
  const url = await postgres.createDatabase();
  await makeTemplate({ kind: 'postgresql', url });
  project.provide('postgresUrl', postgres.url);
  project.provide('postgresTemplate', new URL(url).pathname.slice(1));
  return () => postgres.stop();
}
