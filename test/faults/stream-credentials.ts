// Revokes the credentials of open event streams: measures how long each stream stays open, and the cost of watching all
// of them.
//
//   pnpm faults stream-credentials [--streams 500] [--seconds 20] [--postgres] [--broken]
//
// On PostgreSQL there are two servers: the streams are open at one of them, and the tokens are revoked at the other.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { call, makeCredentials } from '../../bench/api.ts';
import { type Program, startServer } from '../../bench/processes.ts';
import { startPostgres } from '../../packages/core/test/postgres.ts';
import { limitMs } from './promised-time.ts';

const { values: options } = parseArgs({
  options: {
    streams: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '20' },
    postgres: { type: 'boolean', default: false },
    broken: { type: 'boolean', default: false },
  },
});
const STREAMS = Number(options.streams);
const SECONDS = Number(options.seconds);
const REVOKED = 20;
const WITHIN_MS = limitMs(1_000);
/** Time after which a stream counts as open for ever. */
const GIVE_UP_MS = 20_000;
/** Concurrent changes, below the rate limit of a credential. */
const AT_ONCE = 20;

const say = (line: string) => void process.stdout.write(`${line}\n`);

interface Token {
  readonly id: number;
  readonly token: string;
}

/** A running stream. */
interface Stream {
  readonly response: IncomingMessage;
  readonly ended: Promise<number>;
}

const agent = new Agent({ keepAlive: false });

function open(server: Program, token: string): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const request = get(`${server.url}/admin-api/events`, { agent, headers: { 'API-Token': token } }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`the server refused a stream: ${response.statusCode}`));
      const ended = new Promise<number>((end) => response.once('close', () => end(performance.now())));
      response.on('error', () => {}).resume();
      resolve({ response, ended });
    });
    request.once('error', reject);
  });
}

async function inTurn<T, Result>(items: readonly T[], work: (item: T) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))));
  }
  return results;
}

const TICK_US = 10_000;

/** Processor time in microseconds of each process of PostgreSQL that works for our database. */
function postgresCpuUs(): Map<string, number> {
  const used = new Map<string, number>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const title = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (!title.startsWith('postgres: ') || !title.includes(databaseName)) continue;
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      used.set(pid, (Number(fields[11]) + Number(fields[12])) * TICK_US);
    } catch {
      // The process has ended.
    }
  }
  return used;
}

/** Prints the processor use of the server and the database while nothing happens. */
async function measure(name: string, server: Program): Promise<void> {
  const [serverBefore, databaseBefore] = [server.cpuUs(), postgresCpuUs()];
  const startedAt = performance.now();
  await delay(SECONDS * 1000);
  const us = (performance.now() - startedAt) * 1000;
  const share = (used: number) => `${((used / us) * 100).toFixed(2)} %`;
  let database = 0;
  for (const [pid, used] of postgresCpuUs()) database += used - (databaseBefore.get(pid) ?? 0);
  const ofDatabase = options.postgres ? `, PostgreSQL ${share(database)}` : '';
  say(`${name}: server ${share(server.cpuUs() - serverBefore)} of a processor${ofDatabase}`);
}

if (options.broken) {
  process.env['NODE_OPTIONS'] = `--import=${new URL('broken-streams.ts', import.meta.url).href}`;
  say('Credentials are checked every 15 s on purpose: this has to fail.');
}
const dataDir = mkdtempSync(join(tmpdir(), 'quarterdeck-streams-'));
const postgres = options.postgres ? await startPostgres() : undefined;
const databaseUrl = await postgres?.createDatabase();
const databaseName = databaseUrl === undefined ? '' : new URL(databaseUrl).pathname.slice(1);
const settings = {
  QUARTERDECK_MAX_TOKENS_PER_USER: String(STREAMS + REVOKED),
  QUARTERDECK_MAX_STREAMS_PER_USER: String(2 * STREAMS),
};
const servers: Program[] = [];
try {
  const watching = await startServer(dataDir, databaseUrl, settings);
  servers.push(watching);
  const revoking = databaseUrl === undefined ? watching : await startServer(dataDir, databaseUrl, settings);
  if (revoking !== watching) servers.push(revoking);
  const { session, apiToken } = await makeCredentials(watching);
  const headers = { 'edge-token': session };
  const numbers = Array.from({ length: STREAMS }, (_, n) => n);
  const tokens = await inTurn(numbers, async () => {
    // Slower than the rate limit of changes.
    await delay(25 * AT_ONCE);
    return (await call(watching, '/admin-api/api_token', { method: 'POST', body: '{}', headers })).data as Token;
  });

  await delay(2_000);
  await measure('no stream', watching);
  const same = await inTurn(numbers, () => open(watching, apiToken));
  await measure(`${STREAMS} streams of one credential`, watching);
  for (const { response } of same) response.destroy();
  const streams = await inTurn(tokens, ({ token }) => open(watching, token));
  await measure(`${STREAMS} streams of ${STREAMS} credentials`, watching);

  const tookMs: number[] = [];
  for (const [n, { id }] of tokens.slice(0, REVOKED).entries()) {
    await call(revoking, `/admin-api/api_token/${id}`, { method: 'DELETE', headers });
    const revokedAt = performance.now();
    const giveUp = delay(GIVE_UP_MS, Number.POSITIVE_INFINITY, { ref: false });
    tookMs.push(Math.max(0, (await Promise.race([streams[n]?.ended ?? giveUp, giveUp])) - revokedAt));
    if ((tookMs.at(-1) ?? 0) > WITHIN_MS) break;
  }
  tookMs.sort((a, b) => a - b);
  const [half, last] = [tookMs[Math.floor(tookMs.length / 2)] ?? 0, tookMs.at(-1) ?? 0];
  say(
    `${tookMs.length} revoked: half of the streams closed within ${half.toFixed(0)} ms, all within ${last.toFixed(0)} ms`,
  );
  for (const { response } of streams) response.destroy();
  process.exitCode = last <= WITHIN_MS ? 0 : 1;
} finally {
  for (const server of servers) await server.stop();
  await postgres?.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
