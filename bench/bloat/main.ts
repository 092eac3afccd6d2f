// `pnpm bench:bloat [MINUTES] [--rate LINES_PER_S] [--max-mb MB] [--agents N]`: the built server on PostgreSQL takes in
// lines, heartbeats and changes of states for an hour, with a bound that is reached early. Prints rows and sizes of the
// tables, and a verdict: no table may grow once retention removes as much as arrives. Exit code 1 if one does.
// Runs of less than ten minutes end before vacuum and retention balance the load.
// DATABASE_URL selects an empty database on another server than one of its own.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { ErrlogEntry } from '../../packages/core/src/index.ts';
import { startPostgres } from '../../packages/core/test/postgres.ts';
import { call, JSON_TYPE, makeCredentials } from '../api.ts';
import { BATCH_LINES, groupLevel, groupText, randomFrom } from '../lines.ts';
import { startServer } from '../processes.ts';
import { count } from '../report.ts';
import type { Target } from '../soak/load.ts';
import { judgeTables, lineBytes, openTables, type TableSize } from './tables.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rate: { type: 'string', default: '1000' },
    'max-mb': { type: 'string', default: '60' },
    agents: { type: 'string', default: '200' },
  },
});
const MINUTES = Number(positionals[0] ?? 60);
const RATE = Number(options.rate);
const MAX_MB = Number(options['max-mb']);
const AGENTS = Number(options.agents);
const SAMPLES = 30;
const SAMPLE_MS = (MINUTES * 60_000) / SAMPLES;
/** Samples between two that are printed. */
const PRINT_EVERY = 3;
const HEARTBEAT_S = 10;
const STATES = ['resolved', 'ongoing'] as const;
const CHANGES_PER_S = 2;
const GROUPS = 2_000;
const LIST = '/admin-api/log_server/errlog';

/** A batch: known errors and a new one, with parts that cannot be compressed. */
function* batches(): Generator<string, never> {
  const random = randomFrom(7);
  for (let fresh = GROUPS; ; fresh += 1) {
    const numbers = Array.from({ length: BATCH_LINES }, (_, i) =>
      i === 0 ? fresh : Math.floor(GROUPS * random() ** 4),
    );
    const line = (n: number) => ({
      level: groupLevel(n),
      log: `${groupText(n)}, request: "${randomBytes(16).toString('hex')}"`,
    });
    yield JSON.stringify(numbers.map(line));
  }
}

let busyAnswers = 0;

/** Repeats a request that the server answers with 503, as clients do. */
async function patiently(request: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await request();
      return;
    } catch (error) {
      if (!(error instanceof Error && / 503 /.test(error.message))) throw error;
      busyAnswers += 1;
      await delay(1000);
    }
  }
}

/** Runs work so many times a second until `endAtMs` of `performance.now()`; returns how often. */
async function atPace(perSecond: number, endAtMs: number, work: (n: number) => Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now();
  for (let n = 0; ; n += 1) {
    const dueMs = startedAtMs + (n / perSecond) * 1000;
    if (Math.max(dueMs, performance.now()) >= endAtMs) return n;
    await delay(Math.max(0, dueMs - performance.now()));
    await patiently(() => work(n));
  }
}

interface Agent {
  readonly id: number;
  readonly secret: string;
}

async function registerAgents({ server, headers }: Target): Promise<Agent[]> {
  const body = JSON.stringify({ name: 'bench', uses: 0 });
  const { token } = (await call(server, '/api/agents/enrollment', { method: 'POST', headers, body })).data as {
    token: string;
  };
  const agents: Agent[] = [];
  for (let i = 0; i < AGENTS; i += 1) {
    const facts = JSON.stringify({ node_id: `node-${i}`, hostname: `gw-${i}.example.com`, ip: `10.1.0.${i % 250}` });
    const made = await call(server, '/api/agents/register', {
      method: 'POST',
      headers: { 'api-token': token },
      body: facts,
    });
    agents.push(made.data as Agent);
  }
  return agents;
}

async function load(target: Target, agents: readonly Agent[], endAtMs: number): Promise<string> {
  const { server, headers } = target;
  const bodies = batches();
  const send = () =>
    call(server, LIST, { method: 'POST', headers: { ...headers, ...JSON_TYPE }, body: bodies.next().value });
  const change = async (n: number) => {
    // Of the latest errors: the bound removes old ones.
    const { data: latest } = (await call(server, `${LIST}?page_size=50`, { headers })).data as { data: ErrlogEntry[] };
    const group = latest[n % latest.length];
    if (group === undefined) return;
    const body = JSON.stringify({ state: STATES[Math.floor(n / 50) % STATES.length] });
    await call(server, `${LIST}/${group.id}`, { method: 'PUT', headers, body });
  };
  const heartbeat = (n: number) => {
    const { id, secret } = agents[n % agents.length] as Agent;
    const body = JSON.stringify(n % 20 === 0 ? { package: { version: n } } : {});
    return call(server, `/api/agents/${id}/heartbeat`, { method: 'POST', headers: { 'api-token': secret }, body });
  };
  const [sent = 0, changes = 0, heartbeats = 0] = await Promise.all([
    atPace(RATE / BATCH_LINES, endAtMs, send),
    atPace(CHANGES_PER_S, endAtMs, change),
    agents.length === 0 ? 0 : atPace(agents.length / HEARTBEAT_S, endAtMs, heartbeat),
  ]);
  return `${count(sent * BATCH_LINES)} lines, ${count(heartbeats)} heartbeats, ${count(changes)} changes of states; ${busyAnswers} answers 503`;
}

function print(minute: number, tables: readonly TableSize[]): void {
  console.log(`${minute.toFixed(1)} min: lines ${count(lineBytes(tables) / 1e6)} MB of ${MAX_MB}`);
  for (const { name, bytes, live, dead, deadLarge } of tables.slice(0, 12)) {
    const large = deadLarge > 0 ? `, ${count(deadLarge)} of large values` : '';
    console.log(
      `  ${name.padEnd(18)} ${(bytes / 1e6).toFixed(1).padStart(7)} MB ${count(live).padStart(9)} rows, ${count(dead)} dead${large}`,
    );
  }
}

function printWork(tables: readonly TableSize[]): void {
  console.log('rows written in all:');
  for (const { name, inserted, updated, hot, deleted } of tables) {
    if (inserted + updated + deleted < 1000) continue;
    const share = updated === 0 ? '' : ` (${Math.round((100 * hot) / updated)} % without indexes)`;
    console.log(
      `  ${name.padEnd(18)} ${count(inserted)} inserted, ${count(updated)} updated${share}, ${count(deleted)} deleted`,
    );
  }
}

async function run(url: string): Promise<boolean> {
  const dataDir = mkdtempSync(join(tmpdir(), 'quarterdeck-bloat-'));
  const server = await startServer(dataDir, url, { QUARTERDECK_ERRLOG_MAX_MB: String(MAX_MB) });
  const database = await openTables(url);
  try {
    const { apiToken, session } = await makeCredentials(server);
    const target = { server, headers: { 'api-token': apiToken } };
    const agents = await registerAgents({ server, headers: { 'edge-token': session } });
    // The groups whose states change.
    await call(server, LIST, { method: 'POST', headers: target.headers, body: batches().next().value });
    const startedAtMs = performance.now();
    const working = load(target, agents, startedAtMs + MINUTES * 60_000);
    const samples: TableSize[][] = [];
    const watch = async () => {
      for (let n = 1; n <= SAMPLES; n += 1) {
        await delay(Math.max(0, startedAtMs + n * SAMPLE_MS - performance.now()));
        const tables = await database.read();
        samples.push(tables);
        if (n % PRINT_EVERY === 0) print((n * SAMPLE_MS) / 60_000, tables);
      }
    };
    const [done] = await Promise.all([working, watch()]);
    console.log(`${MINUTES} minutes: ${done}`);
    printWork(samples.at(-1) ?? []);
    const findings = judgeTables(samples, MAX_MB);
    for (const { what, kept } of findings) console.log(`${kept ? 'kept  ' : 'BROKEN'} ${what}`);
    return findings.every(({ kept }) => kept);
  } finally {
    await database.close();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

if (!(MINUTES > 0 && RATE > 0 && MAX_MB >= 10 && AGENTS >= 0)) {
  throw new Error('usage: pnpm bench:bloat [minutes] [--rate lines/s] [--max-mb of lines and groups] [--agents n]');
}
const given = process.env['DATABASE_URL'];
const own = given === undefined ? await startPostgres() : undefined;
try {
  if (!(await run(given ?? (await own?.createDatabase()) ?? ''))) process.exitCode = 1;
} finally {
  await own?.stop();
}
