// A real server in this process, on port 0, with a real and empty database, for tests through HTTP.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RoleName } from '@quarterdeck/core';
import { type Client, createClient, signIn } from '@quarterdeck/sdk';
import pg from 'pg';
import { type Logger, pino } from 'pino';
import { inject } from 'vitest';
import { readConfig } from '../src/config.ts';
import { type RunningServer, startServer } from '../src/server.ts';

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
  /** Settings with which another server works on the same data (PostgreSQL only). */
  readonly sharing: Readonly<Record<string, string>>;
  /** Signed in as the administrator. */
  readonly admin: Client;
  readonly adminToken: string;
  /** What the server logged, a JSON line each. */
  readonly logged: string[];
  /** Moves the server's clock. */
  advance(ms: number): void;
  /** The server's time, Unix milliseconds. */
  now(): number;
  /** Makes a user and signs in as them. */
  person(role: RoleName): Promise<{ client: Client; token: string; id: number; username: string }>;
  /** Registers an agent and returns a client with its secret. */
  agent(nodeId?: string): Promise<{ client: Client; secret: string; id: number; nodeId: string }>;
  /** A request as it goes over the wire. */
  fetch(path: string, init?: RequestInit): Promise<{ status: number; headers: Headers; body: Answer }>;
}

/** Any answer, as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: tests look at answers of every shape
export type Answer = any;

/** Starts a server. Settings are environment variables without their prefix. */
export async function startApi(settings: Readonly<Record<string, string>> = {}): Promise<TestApi> {
  const dataDir = mkdtempSync(join(tmpdir(), 'quarterdeck-test-'));
  const database = settings['DATABASE_URL'] === undefined ? await createDatabase() : undefined;
  const env = {
    QUARTERDECK_PORT: '0',
    QUARTERDECK_SYSLOG_PORT: 'off',
    QUARTERDECK_DATA_DIR: dataDir,
    QUARTERDECK_ADMIN_PASSWORD: PASSWORD,
    ...(database === undefined ? {} : { QUARTERDECK_DATABASE_URL: database.url }),
    ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [`QUARTERDECK_${name}`, value])),
  };
  const logged: string[] = [];
  let shiftMs = 0;
  const now = () => Date.now() + shiftMs;
  const server = await startServer(readConfig(env), captureLog(logged), { now, argon2: ARGON2, checkAnswers: true });
  const { url } = server;
  const { client: admin, login } = await signIn({ url, username: 'admin', password: PASSWORD });

  return {
    server,
    url,
    sharing: { DATA_DIR: env.QUARTERDECK_DATA_DIR, DATABASE_URL: database?.url ?? '' },
    admin,
    adminToken: login.token,
    logged,
    now,
    advance(ms) {
      shiftMs += ms;
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
      const { id, secret } = await admin.agent.register({ body: { node_id: nodeId, hostname: `host-${nodeId}` } });
      return { client: createClient({ url, apiToken: secret }), secret, id, nodeId };
    },
    async fetch(path, init) {
      const response = await fetch(url + path, init);
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      await database?.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** A log that tests can read. */
function captureLog(lines: string[]): Logger {
  return pino({ level: 'debug' }, { write: (line) => lines.push(line) });
}

/** An empty database of the project's PostgreSQL; undefined on SQLite, which needs none. */
async function createDatabase(): Promise<{ url: string; drop(): Promise<void> } | undefined> {
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
  await run(`CREATE DATABASE ${name}`);
  const url = new URL(maintenance);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => run(`DROP DATABASE ${name} WITH (FORCE)`) };
}
