// The same server on each database, seeded alike.
import { startPostgres } from '../packages/core/test/postgres.ts';
import { makeCredentials } from './api.ts';
import { built } from './built.ts';
import { cpuUsOf, newFolder, type Program, startServer } from './processes.ts';
import { seed } from './seed.ts';

export interface Side {
  readonly name: 'SQLite' | 'PostgreSQL';
  readonly server: Program;
  /** Headers of a request with an API token. */
  readonly headers: Record<string, string>;
  readonly tokenId: number;
  /** Folder of its data. */
  readonly dataDir: string;
  /** URL of PostgreSQL. */
  readonly url?: string;
}

/** Both sides, and the resources of the database they compare. */
export interface Sides {
  readonly sqlite: Side;
  readonly postgresql: Side;
  /** Removes everything. */
  stop(): Promise<void>;
}

const { createPool } = await built('packages/core/dist/db/postgresql/pool.js');

const VACUUM_MS = 600_000;
/** Enough for a large benchmark; the defaults of PostgreSQL are those of a small machine. */
const POSTGRES_FLAGS = ['-c', 'shared_buffers=256MB', '-c', 'max_wal_size=4GB'];

/** Seeds both databases and starts a server on each. */
export async function startSides(groups: number, occurrences: number): Promise<Sides> {
  const postgres = await startPostgres(POSTGRES_FLAGS);
  const started: Program[] = [];
  const stop = async () => {
    for (const server of started) await server.stop();
    await postgres.stop();
  };
  const start = async (name: Side['name'], url?: string): Promise<Side> => {
    const dataDir = newFolder();
    const seededAt = performance.now();
    await seed(url === undefined ? { dataDir } : { url }, groups, occurrences);
    if (url !== undefined) await vacuum(url);
    const first = await startServer(dataDir, url);
    const { apiToken, id } = await makeCredentials(first);
    await first.stop();
    const server = await startServer(dataDir, url);
    started.push(server);
    const measured = url === undefined ? server : { ...server, databaseCpuUs: () => cpuUsOf(postgres.processes()) };
    const seededS = Math.round((performance.now() - seededAt) / 1000);
    console.log(`  ${name}: stored in ${seededS} s, ready ${server.readyMs} ms after start, ${server.memoryMb()} MB`);
    const side = { name, server: measured, headers: { 'api-token': apiToken }, tokenId: id, dataDir };
    return url === undefined ? side : { ...side, url };
  };
  try {
    const sqlite = await start('SQLite');
    return { sqlite, postgresql: await start('PostgreSQL', await postgres.createDatabase()), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Does at once what autovacuum does within minutes. */
async function vacuum(url: string): Promise<void> {
  const pool = createPool(url, 1);
  Object.assign(pool.options, { statement_timeout: VACUUM_MS, query_timeout: VACUUM_MS });
  await pool.query('VACUUM ANALYZE');
  await pool.end();
}
