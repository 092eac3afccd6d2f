// One real PostgreSQL for all tests through HTTP; each test file makes its own database in it.
import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { TestProject } from 'vitest/node';
import { startPostgres } from '../../../packages/core/test/postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the maintenance database; absent where the tests run on SQLite. */
    postgresUrl: string;
  }
}

const SHARED_MEMORY = '/dev/shm';
/** Room that the databases of all tests have plenty of. */
const ROOM_BYTES = 4_000_000_000;

/** A folder that is kept in memory, where there is one with room. */
function memoryFolder(): string | undefined {
  if (!existsSync(SHARED_MEMORY)) return undefined;
  const { bavail, bsize } = statfsSync(SHARED_MEMORY);
  return bavail * bsize >= ROOM_BYTES ? SHARED_MEMORY : undefined;
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Nothing here is about a power cut, and much of the time would go into waiting for the disk.
  const postgres = await startPostgres(['-c', 'max_connections=300', '-c', 'fsync=on'], memoryFolder() ?? tmpdir());
  project.provide('postgresUrl', postgres.url);
  return () => postgres.stop();
}
