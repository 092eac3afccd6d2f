// A real server in this process, on port 0, with a real and empty database, for tests through HTTP.
import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { RoleName } from '@quarterdeck/core';
import { type Client, createClient, signIn } from '@quarterdeck/sdk';
import pg from 'pg';
import { type Logger, pino } from 'pino';
import { afterAll, beforeAll, inject } from 'vitest';
import { type RunningServer, type ServerOptions, startServer } from '../src/compose/server.ts';
import type { Transports } from '../src/features/webhook/transports/transport.ts';
import { readConfig } from '../src/settings/config.ts';
import { openLines } from './line-engine.ts';
import { watchAnswers } from './watch-answers.ts';

/** Password of every user. */
export const PASSWORD = 'correct horse battery staple';

/** The cheapest cost: no test here is about the time of a guess. */
export const CHEAP_ARGON2 = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** Database of the tests of this project. */
export const DIALECT = inject('postgresUrl') === undefined ? 'sqlite' : 'postgresql';

export interface TestApi extends AsyncDisposable {
  readonly server: RunningServer;
  readonly url: string;
  /** Settings for another server on the same data; on SQLite, stop this one first. */
  readonly sharing: Settings;
  /** Signed in as the administrator. */
  readonly admin: Client;
  readonly adminToken: string;
  /** Log lines of the server, as JSON. */
  readonly logged: string[];
  /** Lets time pass for the server. */
  advance(ms: number): void;
  /** Sets the server's clock, as an administrator or NTP does; no time passes. */
  setClock(ms: number): void;
  /** The server's time, Unix milliseconds. */
  now(): number;
  /** Creates a user and signs in. */
  person(role: RoleName): Promise<{ client: Client; token: string; id: number; username: string }>;
  /** Registers an agent, also in the place of an online one, sends a report, and returns a client with its secret. */
  agent(nodeId?: string): Promise<{ client: Client; secret: string; id: number; nodeId: string }>;
  /** Returns a client with an API token. */
  using(apiToken: string): Client;
  /** Sends a plain HTTP request. */
  fetch(path: string, init?: RequestInit): Promise<Fetched>;
  /** Sends a request with a JSON body, or without one; in the session of the administrator, unless headers say more. */
  ask(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Fetched>;
}

/** An answer: its status, its headers, and its body as JSON. */
export interface Fetched {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Answer;
}

/** Any answer, as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: tests look at answers of every shape
export type Answer = any;

/** Environment variables without their prefix. */
export type Settings = Readonly<Record<string, string>>;

/** Returns the environment variables of settings. */
export const variablesOf = (settings: Settings): Record<string, string> =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [`QUARTERDECK_${name}`, value]));

/** Data folder and database of servers. */
export interface Place extends AsyncDisposable {
  /** Settings of a server on this data. */
  readonly sharing: Settings;
}

/**
 * Creates a folder and an unused database. It has its tables already, because creating them takes longer than most
 * tests; a test about migrations requests an empty database.
 */
export async function newPlace(tables: 'with tables' | 'empty' = 'with tables'): Promise<Place> {
  const dataDir = mkdtempSync(join(tmpdir(), 'quarterdeck-test-'));
  const database = await createDatabase(tables === 'empty' ? undefined : inject('postgresTemplate'));
  const file = inject('sqliteTemplate');
  if (database === undefined && tables !== 'empty' && file !== undefined) {
    copyFileSync(file, join(dataDir, 'quarterdeck.db'));
    // As long as the reserve, but without blocks: writing 16 MB is a tenth of a start.
    const reserve = 'quarterdeck.reserve';
    writeFileSync(join(dataDir, reserve), '');
    truncateSync(join(dataDir, reserve), statSync(join(dirname(file), reserve)).size);
  }
  return {
    sharing: { DATA_DIR: dataDir, DATABASE_URL: database?.url ?? '' },
    async [Symbol.asyncDispose]() {
      await database?.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** On a busy machine, the first lines of a server may take long: the limit of the test decides. */
const TIMEOUT_MS = 60_000;

/** Write rate without a limit. */
const WRITE_RATE = { perSecond: 1_000_000, burst: 1_000_000 };

/** Transports that refuse nothing and send nothing: no test may reach the network. */
export const NO_TRANSPORTS: Transports = {
  hasEmail: true,
  send: async () => ({ ok: true, status: 204 }),
  refusalOf: async () => undefined,
  close: () => undefined,
};

/** Options of a server's start, beside its settings. */
interface StartOptions
  extends Pick<
    ServerOptions,
    | 'beginAnew'
    | 'writeRate'
    | 'transports'
    | 'pageFolder'
    | 'headersTimeoutMs'
    | 'keepAliveMs'
    | 'sendTimeoutMs'
    | 'wakesAlerts'
  > {
  /** The time at which its clock starts, Unix milliseconds; default now. */
  readonly startMs?: number;
  /** True for a clock that `advance` and `setClock` alone move, however slow the machine is. */
  readonly hasStillClock?: boolean;
}

/** A server that several tests may use. */
interface SharableApi extends TestApi {
  /** Returns what one of the tests may do with it. */
  share(): TestApi;
}

/** Starts a server, on data of its own unless the settings name other data. */
export const startApi = (settings?: Settings, options?: StartOptions): Promise<TestApi> =>
  startSharableApi(settings, options);

let shared: Promise<SharableApi> | undefined;

/**
 * Returns the server that the test files of this worker share, which saves the start of one. For tests that pass
 * whatever else the server holds: they look at rows of their own, leave settings and the administrator as they are, and
 * do not move the clock. `logged` has the lines since this call. Disposal checks the answers; the server ends with the
 * worker.
 */
export async function sharedApi(): Promise<TestApi> {
  shared ??= startSharableApi();
  return (await shared).share();
}

/** Starts a server before the tests of a file, and stops it after them. Returns that server, once it runs. */
export const useApi = (...options: Parameters<typeof startApi>): TestApi => useServer(() => startApi(...options));

/** Like {@link useApi}, with the server of {@link sharedApi}. */
export const useSharedApi = (): TestApi => useServer(sharedApi);

/** Has a server of a file's tests started and stopped by hooks. Returns what stands for it. */
export function useServer(start: () => Promise<TestApi>): TestApi {
  let started: TestApi | undefined;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(() => started?.[Symbol.asyncDispose]());
  const running = () => {
    if (started === undefined) throw new Error('The server starts before the first test: use it in tests and hooks.');
    return started;
  };
  return new Proxy({} as TestApi, { get: (_, name) => Reflect.get(running(), name) });
}

async function startSharableApi(
  settings: Settings = {},
  { startMs = Date.now(), hasStillClock = false, ...options }: StartOptions = {},
): Promise<SharableApi> {
  const place = settings['DATA_DIR'] === undefined ? await newPlace() : undefined;
  const all: Settings = {
    PORT: '0',
    SYSLOG_PORT: 'off',
    NEW_GROUPS_PER_MINUTE: '1000000',
    ADMIN_PASSWORD: PASSWORD,
    // The same with and without a build of the page.
    ...(options.pageFolder === undefined && { PAGE: 'off' }),
    ...place?.sharing,
    ...settings,
  };
  const logged: string[] = [];
  const lists = new Set([logged]);
  let passedMs = 0;
  let setByMs = startMs - Date.now();
  const stoppedAtMs = hasStillClock ? Date.now() : undefined;
  const now = () => (stoppedAtMs ?? Date.now()) + passedMs + setByMs;
  const server = await startServer(readConfig(variablesOf(all)), captureLog(lists), {
    now,
    monotonic: () => (hasStillClock ? 0 : performance.now()) + passedMs,
    argon2: CHEAP_ARGON2,
    writeRate: WRITE_RATE,
    transports: NO_TRANSPORTS,
    checkAnswers: true,
    openLines,
    // Tests run the rounds of alerts themselves.
    wakesAlerts: false,
    // A process that is busy for long would close a connection at the moment at which it sends the next request.
    keepAliveMs: 600_000,
    // No request is on its way on an idle connection.
    graceMs: 5,
    // A stream or an unfinished request that a test leaves open must not hold up the next test.
    drainMs: 500,
    ...options,
  });
  const { url } = server;
  const answers = watchAnswers(server.port);
  const connection = { url, timeoutMs: TIMEOUT_MS };
  const password = all['ADMIN_PASSWORD'] ?? '';
  const { client: admin, login } = await signIn({ ...connection, username: 'admin', password });

  const api: TestApi = {
    server,
    url,
    sharing: { DATA_DIR: all['DATA_DIR'] ?? '', DATABASE_URL: all['DATABASE_URL'] ?? '' },
    admin,
    adminToken: login.token,
    logged,
    now,
    advance(ms) {
      passedMs += ms;
    },
    setClock(ms) {
      setByMs += ms;
    },
    async person(role) {
      const username = `${role}-${randomUUID()}`;
      const passwordHash = await server.deps.passwords.hash(PASSWORD);
      const times = { createdMs: BigInt(now()), modifiedMs: BigInt(now()) };
      await server.deps.db.write((tx) => tx.prisma.user.create({ data: { username, passwordHash, role, ...times } }));
      const signed = await signIn({ ...connection, username, password: PASSWORD });
      return { client: signed.client, token: signed.login.token, id: signed.login.id, username };
    },
    async agent(nodeId = randomUUID()) {
      const body = { node_id: nodeId, hostname: `host-${nodeId}`, force: true };
      const { id, secret } = await admin.agent.register({ body });
      const client = createClient({ ...connection, apiToken: secret });
      await client.agent.heartbeat({ params: { id }, body: {} });
      return { client, secret, id, nodeId };
    },
    using: (apiToken) => createClient({ ...connection, apiToken }),
    async fetch(path, init) {
      const response = await fetch(url + path, init);
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
    },
    ask(method, path, body, headers = { 'edge-token': login.token }) {
      if (body === undefined) return api.fetch(path, { method, headers });
      const typed = { 'Content-Type': 'application/json', ...headers };
      return api.fetch(path, { method, headers: typed, body: JSON.stringify(body) });
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      await place?.[Symbol.asyncDispose]();
      answers.stop();
      answers.verify();
    },
  };
  return {
    ...api,
    share() {
      const lines: string[] = [];
      lists.add(lines);
      const refuse = () => {
        throw new Error('The clock of a shared server belongs to all its tests: use startApi.');
      };
      return {
        ...api,
        logged: lines,
        advance: refuse,
        setClock: refuse,
        async [Symbol.asyncDispose]() {
          lists.delete(lines);
          answers.verify();
        },
      };
    },
  };
}

/** A log that tests can read: adds each line to all lists. */
function captureLog(lists: ReadonlySet<string[]>): Logger {
  return pino({ level: 'debug' }, { write: (line) => lists.forEach((lines) => void lines.push(line)) });
}

/** Creates a database on the project's PostgreSQL, empty or a copy; undefined on SQLite, which needs none. */
async function createDatabase(template = 'template1'): Promise<{ url: string; drop(): Promise<void> } | undefined> {
  const maintenance = inject('postgresUrl');
  if (maintenance === undefined) return undefined;
  const name = `api_${randomUUID().replaceAll('-', '')}`;
  const run = async (sql: string) => {
    const client = new pg.Client({ connectionString: maintenance });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  await run(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = new URL(maintenance);
  url.pathname = `/${name}`;
  // No test through HTTP is about a slow database, and the machine may do other work.
  url.search = '?connect_timeout=30&query_timeout=30000';
  return { url: url.href, drop: () => run(`DROP DATABASE ${name} WITH (FORCE)`) };
}
