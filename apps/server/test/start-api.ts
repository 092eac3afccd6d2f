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
import { type RunningServer, type ServerOptions, startServer } from '../src/server.ts';

/** Password of everybody here. */
export const PASSWORD = 'correct horse battery staple';

/** The cheapest cost: these tests are not about how long a guess takes. */
const ARGON2 = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** Which database the tests of this project run on. */
export const DIALECT = inject('postgresUrl') === undefined ? 'sqlite' : 'postgresql';

/** A server for tests. */
export interface TestApi extends AsyncDisposable {
  readonly server: RunningServer;
  readonly url: string;
  /** Settings with which another server works on the same data; on SQLite this one has to be stopped before. */
  readonly sharing: Settings;
  /** Signed in as the administrator. */
  readonly admin: Client;
  readonly adminToken: string;
  /** What the server logged, a JSON line each. */
  readonly logged: string[];
  /** Lets time pass for the server. */
  advance(ms: number): void;
  /** Sets the server's clock, as an administrator or NTP does: no time passes. */
  setClock(ms: number): void;
  /** The server's time, Unix milliseconds. */
  now(): number;
  /** Makes a user and signs in as them. */
  person(role: RoleName): Promise<{ client: Client; token: string; id: number; username: string }>;
  /** Registers an agent, in the place of one that is online too, has it report once, and returns a client with its secret. */
  agent(nodeId?: string): Promise<{ client: Client; secret: string; id: number; nodeId: string }>;
  /** A request as it goes over the wire. */
  fetch(path: string, init?: RequestInit): Promise<{ status: number; headers: Headers; body: Answer }>;
}

/** Any answer, as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: tests look at answers of every shape
export type Answer = any;

/** Environment variables without their prefix. */
export type Settings = Readonly<Record<string, string>>;

/** Where servers keep their data. */
export interface Place extends AsyncDisposable {
  /** Settings with which a server works here. */
  readonly sharing: Settings;
}

/**
 * A folder and a database where no server has ever been. The tables are there already, as making them takes longer than
 * most tests; a test about that asks for an empty database.
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

/** Tests write as fast as they can. */
const WRITE_RATE = { perSecond: 1_000_000, burst: 1_000_000 };

/** How a server is started, beside its settings. */
interface StartOptions extends Pick<ServerOptions, 'beginAnew' | 'writeRate'> {
  /** The time at which its clock starts, Unix milliseconds; default now. */
  readonly startMs?: number;
}

/** Starts a server, in a place of its own where the settings do not say another one. */
export async function startApi(
  settings: Settings = {},
  { startMs = Date.now(), ...options }: StartOptions = {},
): Promise<TestApi> {
  const place = settings['DATA_DIR'] === undefined ? await newPlace() : undefined;
  const all: Settings = {
    PORT: '0',
    SYSLOG_PORT: 'off',
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
    ...options,
    checkAnswers: true,
    // What is idle here has nothing on its way.
    graceMs: 5,
  });
  const { url } = server;
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
    },
  };
}

/** A log that tests can read. */
function captureLog(lines: string[]): Logger {
  return pino({ level: 'debug' }, { write: (line) => lines.push(line) });
}

/** A database of the project's PostgreSQL, empty or a copy; undefined on SQLite, which needs none. */
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
