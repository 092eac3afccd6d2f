// A built server on a database of its own, as a process that can be stopped and killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../packages/core/test/postgres.ts';

/** Program of the built server. */
export const QUARTERDECKD = fileURLToPath(new URL('../../../apps/server/bin/quarterdeckd', import.meta.url));
const START_MAX_MS = 60_000;

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** Place of the data of a server. */
export interface Place {
  readonly dataDir: string;
  /** Undefined is SQLite. */
  readonly databaseUrl?: string | undefined;
}

/** A server process. */
export interface Server extends Place {
  readonly url: string;
  readonly password: string;
  readonly child: ChildProcess;
  /** Returns its log so far. */
  log(): string;
  /** Sends a signal; resolves with the exit code, null where the signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts a process without waiting until it serves. */
export async function spawnServer(place: Place, settings: Readonly<Record<string, string>> = {}): Promise<Server> {
  const port = settings['QUARTERDECK_PORT'] ?? String(await freePort());
  const password = settings['QUARTERDECK_ADMIN_PASSWORD'] ?? randomUUID();
  mkdirSync(place.dataDir, { recursive: true });
  const child = spawn(QUARTERDECKD, [], {
    env: {
      ...process.env,
      QUARTERDECK_PORT: port,
      QUARTERDECK_SYSLOG_PORT: 'off',
      QUARTERDECK_DATA_DIR: place.dataDir,
      QUARTERDECK_DATABASE_URL: place.databaseUrl ?? '',
      QUARTERDECK_ADMIN_PASSWORD: password,
      QUARTERDECK_MAX_CONNECTIONS_PER_ADDRESS: '2000',
      ...settings,
    },
  });
  children.add(child);
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  void ended.finally(() => children.delete(child));
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      log += chunk;
    });
  }
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  return { ...place, url: `http://127.0.0.1:${port}`, password, child, log: () => log, end };
}

/** Starts a server and waits until it is ready. */
export async function startServer(place: Place, settings?: Readonly<Record<string, string>>): Promise<Server> {
  const server = await spawnServer(place, settings);
  await untilReady(server);
  return server;
}

/** Waits until a server is ready, at most `maxMs`; resolves with the milliseconds that it took. */
export async function untilReady(server: Server, maxMs = START_MAX_MS): Promise<number> {
  const startedMs = performance.now();
  for (;;) {
    const isReady = await fetch(`${server.url}/readyz`, { signal: AbortSignal.timeout(10_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
    const tookMs = performance.now() - startedMs;
    if (isReady) return tookMs;
    if (server.child.exitCode !== null || tookMs > maxMs) {
      throw new Error(`the server did not start:\n${server.log()}`);
    }
    await delay(10);
  }
}

/** Path of the SQLite file of a server. */
export const fileOf = ({ dataDir }: Place): string => join(dataDir, 'quarterdeck.db');
