// One real PostgreSQL for all tests through HTTP; each test file makes its own database in it.
import type { TestProject } from 'vitest/node';
import { startPostgres } from '../../../packages/core/test/postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the maintenance database; absent where the tests run on SQLite. */
    postgresUrl: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startPostgres(['-c', 'max_connections=300', '-c', 'fsync=on']);
  project.provide('postgresUrl', postgres.url);
  return () => postgres.stop();
}
