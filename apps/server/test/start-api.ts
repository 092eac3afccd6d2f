// A real server in this process, on port 0, with a real and empty database, for tests through HTTP.
import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RoleName } from '@quarterdeck/core';
import { type Client, createClient, signIn } from '@quarterdeck/sdk';
import pg from 'pg';
import { type Logger, pino } from 'pino';
import { inject } from 'vitest';
import { readConfig } from '../src/config.ts';
import type { Transports } from '../src/features/webhook/transport.ts';
import { type RunningServer, type ServerOptions, startServer } from '../src/server.ts';
import { watchAnswers } from './watch-answers.ts';

/** Password of every user. */
export const PASSWORD = 'correct horse battery staple';

/** The cheapest cost: no test here is about the time of a guess. */
const ARGON2 = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** Database of the tests of this project. */
export const DIALECT = inject('postgresUrl') === undefined ? 'sqlite' : 'postgresql';

/** A server for tests. */
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
  /** Sends a plain HTTP request. */
  fetch(path: string, init?: RequestInit): Promise<{ status: number; headers: Headers; body: Answer }>;
}

/** Any answer, as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: tests look at answers of every shape
export type Answer = any;

/** Environment variables without their prefix. */
export type Settings = Readonly<Record<string, string>>;

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
  }
  return {
    sharing: { DATA_DIR: dataDir, DATABASE_URL: database?.url ?? '' },
    async [Symbol.asyncDispose]() {
      await database?.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

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
interface StartOptions extends Pick<ServerOptions, 'beginAnew' | 'writeRate' | 'transports'> {
  /** The time at which its clock starts, Unix milliseconds; default now. */
  readonly startMs?: number;
}

/** Starts a server, on data of its own unless the settings name other data. */
export async function startApi(
  settings: Settings = {},
  { startMs = Date.now(), ...options }: StartOptions = {},
): Promise<TestApi> {
  const place = settings['DATA_DIR'] === undefined ? await newPlace() : undefined;
  const all: Settings = {
    PORT: '0',
    SYSLOG_PORT: 'off',
    NEW_GROUPS_PER_MINUTE: '1000000',
    ADMIN_PASSWORD: PASSWORD,
    ...place?.sharing,
    ...settings,
  };
  const env = Object.fromEntries(Object.entries(all).map(([name, value]) => [`QUARTERDECK_${name}`, value]));
  const logged: string[] = [];
  let passedMs = 0;
  let setByMs = startMs - Date.now();
  const now = () => Date.now() + passedMs + setByMs;
  const server = await startServer(readConfig(env), captureLog(logged), {
    now,
    monotonic: () => performance.now() + passedMs,
    argon2: ARGON2,
    writeRate: WRITE_RATE,
    transports: NO_TRANSPORTS,
    ...options,
    checkAnswers: true,
    // No request is on its way on an idle connection.
    graceMs: 5,
  });
  const { url } = server;
  const answers = watchAnswers(server.port);
  const { client: admin, login } = await signIn({ url, username: 'admin', password: all['ADMIN_PASSWORD'] ?? '' });

  return {
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
      const signed = await signIn({ url, username, password: PASSWORD });
      return { client: signed.client, token: signed.login.token, id: signed.login.id, username };
    },
    async agent(nodeId = randomUUID()) {
      const body = { node_id: nodeId, hostname: `host-${nodeId}`, force: true };
      const { id, secret } = await admin.agent.register({ body });
      const client = createClient({ url, apiToken: secret });
      await client.agent.heartbeat({ params: { id }, body: {} });
      return { client, secret, id, nodeId };
    },
    async fetch(path, init) {
      const response = await fetch(url + path, init);
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      await place?.[Symbol.asyncDispose]();
      answers.verify();
    },
  };
}

/** A log that tests can read. */
function captureLog(lines: string[]): Logger {
  return pino({ level: 'debug' }, { write: (line) => lines.push(line) });
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
  return { url: url.href, drop: () => run(`DROP DATABASE ${name} WITH (FORCE)`) };
}
