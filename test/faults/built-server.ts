// A built server with a folder and a database of its own, as a process that can be stopped, killed and measured.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { processTimes } from '../../bench/processes.ts';
import { type PostgresServer, startPostgres } from '../../packages/core/test/postgres.ts';
import { findInstalled } from '../../packages/core/test/postgres-programs.ts';
import { createClient } from '../../packages/sdk/src/index.ts';
import { freePort } from '../free-port.ts';
import { signIn } from './honest-clients.ts';
import { cannotRun, newFolder } from './script.ts';

/** Program of the built server. */
export const QUARTERDECKD = fileURLToPath(new URL('../../apps/server/bin/quarterdeckd', import.meta.url));
/** Databases that a script can run on. */
export const DATABASES = ['sqlite', 'postgresql'] as const;
/** Time after which a start hangs. */
const START_MAX_MS = 240_000;

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

/** Place of the data of a server. */
export interface Place {
  readonly dataDir: string;
  /** Undefined is SQLite. */
  readonly databaseUrl?: string | undefined;
}

/** A place that is removed at the end of the block, with its PostgreSQL. */
export interface NewPlace extends Place, AsyncDisposable {
  /** Parent of the folder of the data. */
  readonly folder: string;
  readonly postgres: PostgresServer | undefined;
  /** Creates another folder and database beside these. */
  another(): Promise<Place>;
}

/**
 * Creates a place on SQLite, or in a PostgreSQL that is started with `flags`. One that is `installed` has a pg_dump;
 * the script ends where there is none.
 */
export async function newPlace(
  isPostgres: boolean | 'installed' = false,
  ...flags: readonly string[]
): Promise<NewPlace> {
  const installed = isPostgres === 'installed' ? findInstalled() : undefined;
  if (isPostgres === 'installed' && installed === undefined) {
    cannotRun('needs a PostgreSQL with pg_dump of the same version (Debian: postgresql)');
  }
  const folder = newFolder();
  const postgres = isPostgres === false ? undefined : await startPostgres(flags, undefined, installed);
  const another = async () => {
    const dataDir = mkdtempSync(join(folder.path, 'data-'));
    return { dataDir, databaseUrl: await postgres?.createDatabase() };
  };
  return {
    ...(await another()),
    folder: folder.path,
    postgres,
    another,
    async [Symbol.asyncDispose]() {
      await postgres?.stop();
      folder[Symbol.dispose]();
    },
  };
}

/** Settings of a server by the names of their environment variables. */
export type Settings = Readonly<Record<string, string>>;

/** Memory of a process in megabytes, as Linux counts it. */
export interface Memory {
  resident(): number;
  /** Maximum since the last call of `resetPeak`. */
  peak(): number;
  resetPeak(): void;
}

/** A server process. It ends at the end of the block. */
export interface Server extends Place, AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly password: string;
  readonly child: ChildProcess;
  readonly memory: Memory;
  /** Processor time in microseconds since its start. */
  cpuUs(): number;
  /** Milliseconds since the start for which the main thread ran, and for which it waited for a processor. */
  mainThreadMs(): { readonly ran: number; readonly queued: number };
  isRunning(): boolean;
  /** Returns its log so far. */
  log(): string;
  /** Sends a signal; resolves with the exit code, null where the signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Environment of the programs that use a place. */
const environmentOf = ({ dataDir, databaseUrl = '' }: Place, settings: Settings): NodeJS.ProcessEnv => ({
  ...process.env,
  QUARTERDECK_DATA_DIR: dataDir,
  QUARTERDECK_DATABASE_URL: databaseUrl,
  QUARTERDECK_LOG_LEVEL: 'warn',
  ...settings,
});

/** Starts a command beside the server of a place. `outcome` resolves at its end. */
export function startCommand(place: Place, settings: Settings, [program = '', ...args]: readonly string[]) {
  const child = spawn(program, args, { env: environmentOf(place, settings), stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  const outcome = once(child, 'close').then(([code]) => ({ code: code as number | null, text: text.trim() }));
  return { child, outcome };
}

/** Starts a process without waiting until it serves. */
export async function spawnServer(
  place: Place,
  settings: Settings = {},
  [program = '', ...args]: readonly string[] = [QUARTERDECKD],
): Promise<Server> {
  const port = Number(settings['QUARTERDECK_PORT'] ?? (await freePort()));
  const password = settings['QUARTERDECK_ADMIN_PASSWORD'] ?? randomUUID();
  mkdirSync(place.dataDir, { recursive: true });
  const child = spawn(program, args, {
    env: environmentOf(place, {
      QUARTERDECK_PORT: String(port),
      QUARTERDECK_SYSLOG_PORT: 'off',
      QUARTERDECK_ADMIN_PASSWORD: password,
      QUARTERDECK_MAX_CONNECTIONS_PER_ADDRESS: '2000',
      ...settings,
    }),
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
  const proc = (name: string) => `/proc/${child.pid}/${name}`;
  const memory = (name: string) =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(proc('status'), 'utf8'))?.[1]);
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  return {
    ...place,
    url: `http://127.0.0.1:${port}`,
    port,
    password,
    child,
    memory: {
      resident: () => Math.round(memory('VmRSS') / 1024),
      peak: () => Math.round(memory('VmHWM') / 1024),
      resetPeak: () => writeFileSync(proc('clear_refs'), '5'),
    },
    cpuUs: () => processTimes(child.pid).ownUs,
    mainThreadMs() {
      const [ran, queued] = readFileSync(proc(`task/${child.pid}/schedstat`), 'utf8').split(' ');
      return { ran: Number(ran) / 1e6, queued: Number(queued) / 1e6 };
    },
    isRunning,
    log: () => log,
    end,
    async [Symbol.asyncDispose]() {
      if (isRunning()) await end('SIGTERM');
    },
  };
}

/** Starts a server and waits until it is ready. */
export async function startServer(...start: Parameters<typeof spawnServer>): Promise<Server> {
  const server = await spawnServer(...start);
  await untilReady(server);
  return server;
}

/** Settings with which a server is started again at the same address. */
export const sameAddress = ({ port, password }: Server): Settings => ({
  QUARTERDECK_PORT: String(port),
  QUARTERDECK_ADMIN_PASSWORD: password,
});

/** Waits until a server is ready; throws where it ends before. */
export async function untilReady(server: Server): Promise<void> {
  const giveUpMs = performance.now() + START_MAX_MS;
  while (!(await isReady(server.url))) {
    if (!server.isRunning() || performance.now() > giveUpMs) {
      throw new Error(`the server did not start:\n${server.log()}`);
    }
    await delay(5);
  }
}

/** Tells whether the server at an address is ready. */
export const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`, { signal: AbortSignal.timeout(10_000) }).then(
    ({ ok }) => ok,
    () => false,
  );

/** A client of the administrator, and its session token. */
export async function asAdmin({ url, password }: Server) {
  const session = await signIn(url, 'admin', password);
  return { session, client: createClient({ url, sessionToken: session }) };
}

/**
 * Reads the longest time for which the event loop of a server stood still since the last call, in milliseconds.
 *
 * @throws Error where the server does not tell it
 */
export async function longestStall(url: string, authorization: string): Promise<number> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${authorization}` } });
  const text = await answer.text();
  const [, seconds] = /^nodejs_eventloop_lag_max_seconds ([\d.e+-]+)/m.exec(text) ?? [];
  if (seconds === undefined) throw new Error(`/metrics answers ${answer.status}: ${text.slice(0, 200)}`);
  return Number(seconds) * 1000;
}

/** Path of the SQLite file of a server. */
export const fileOf = ({ dataDir }: Place): string => join(dataDir, 'quarterdeck.db');
