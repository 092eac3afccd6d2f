// `pnpm faults overload [--seconds 10]`: ten times the work that the built server can do. It must refuse the rest with
// 429 or 503 and Retry-After, and be as before within 5 s. Prints the goodput and the waits of what was accepted. See
// README.md beside this file.
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { call, makeCredentials } from '../../bench/api.ts';
import { ADMIN_PASSWORD, startServer } from '../../bench/processes.ts';

const { values: options } = parseArgs({ options: { seconds: { type: 'string', default: '10' } } });
const SECONDS = Number(options.seconds);
const TIMES = 10;
/** Concurrent requests that use the server fully, without a queue that refuses. */
const CLIENTS = 8;
const OPEN_MAX = 900;
const TICK_MS = 5;
const PATIENCE_MS = 30_000;
/** Longest wait for an answer of a server that is as before. */
const NORMAL_MS = 500;
const ACCEPTED_P99_MS = 500;
const GOODPUT_MIN = 0.9;
const NORMAL_WITHIN_MS = 5_000;
const SENDERS = 10;
const LINES = 1_000;
const USERS = 40;
const ERRLOG = '/admin-api/log_server/errlog';

/** Small on the wire and large at the server: the script shares the processors with it. */
interface Question {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  readonly localAddress?: string;
}

/** A kind of work; a question for each request. */
interface Work {
  readonly name: string;
  readonly next: (n: number) => Question;
}

interface Answer {
  readonly status: number | string;
  readonly ms: number;
  readonly retryAfter: boolean;
}

const agent = new Agent({ keepAlive: true, maxSockets: OPEN_MAX });

function ask(url: string, { path, body, ...rest }: Question): Promise<Answer> {
  const startedMs = performance.now();
  return new Promise((resolve) => {
    const done = (status: number | string, retryAfter = false) =>
      resolve({ status, ms: performance.now() - startedMs, retryAfter });
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const sent = request(url + path, { method: 'POST', ...rest, agent, signal }, (res) => {
      res.resume();
      res.once('end', () => done(res.statusCode ?? 0, res.headers['retry-after'] !== undefined));
      res.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    });
    sent.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    sent.end(body);
  });
}

const isGood = ({ status }: Answer) => status === 200;
const p99 = (answers: readonly Answer[]) =>
  answers.map(({ ms }) => ms).sort((a, b) => a - b)[Math.floor(answers.length * 0.99)] ?? 0;

/** Measures the answers a second that few clients get, each of which waits for its answer. */
async function capacityOf(url: string, { next }: Work): Promise<number> {
  let [n, good] = [0, 0];
  const [startedMs, untilMs] = [performance.now(), performance.now() + SECONDS * 1_000];
  const client = async () => {
    while (performance.now() < untilMs) {
      n += 1;
      if (isGood(await ask(url, next(n)))) good += 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return (1_000 * good) / (performance.now() - startedMs);
}

/** Outcome of a flood. */
interface Flood {
  readonly answers: readonly Answer[];
  readonly sentPerSecond: number;
  readonly goodPerSecond: number;
}

/** Sends requests at a rate, whether or not the earlier ones are answered, as far as there are connections. */
async function flood(url: string, { next }: Work, perSecond: number): Promise<Flood> {
  const answers: Answer[] = [];
  const open = new Set<Promise<unknown>>();
  const startedMs = performance.now();
  const untilMs = startedMs + SECONDS * 1_000;
  let sent = 0;
  while (performance.now() < untilMs) {
    const due = ((performance.now() - startedMs) / 1_000) * perSecond;
    for (; sent < due && open.size < OPEN_MAX; sent += 1) {
      const asked = ask(url, next(sent)).then((answer) => {
        answers.push(answer);
        open.delete(asked);
      });
      open.add(asked);
    }
    await delay(TICK_MS);
  }
  // Later answers are part of the waits, and not of the rate.
  const inTime = answers.filter(isGood).length;
  const seconds = (performance.now() - startedMs) / 1_000;
  await Promise.all(open);
  return { answers, sentPerSecond: sent / seconds, goodPerSecond: inTime / seconds };
}

/** Waits until a second of requests is answered well and soon; resolves with the milliseconds until it began. */
async function untilNormal(url: string, { next }: Work): Promise<number> {
  const startedMs = performance.now();
  let sinceMs = startedMs;
  while (performance.now() - sinceMs < 1_000 && performance.now() - startedMs < 60_000) {
    const answer = await ask(url, next(0));
    if (!isGood(answer) || answer.ms > NORMAL_MS) sinceMs = performance.now();
    await delay(50);
  }
  return sinceMs - startedMs;
}

async function overload(url: string, work: Work): Promise<boolean> {
  await capacityOf(url, work);
  const capacity = await capacityOf(url, work);
  const { answers, sentPerSecond, goodPerSecond } = await flood(url, work, capacity * TIMES);
  const normalMs = await untilNormal(url, work);
  const good = answers.filter(isGood);
  const refused = answers.filter(({ status, retryAfter }) => (status === 429 || status === 503) && retryAfter);
  const others = answers.filter((answer) => !isGood(answer) && !refused.includes(answer));
  const goodput = goodPerSecond / capacity;
  const isQuick = p99(good) <= ACCEPTED_P99_MS && goodput >= GOODPUT_MIN;
  const kept = good.length > 0 && isQuick && others.length === 0 && normalMs <= NORMAL_WITHIN_MS;
  const kinds =
    others.length === 0
      ? ''
      : `, ${others.length} others (${[...new Set(others.map(({ status }) => status))].join(', ')})`;
  console.log(
    `${work.name}: capacity ${capacity.toFixed(0)}/s, sent ${(sentPerSecond / capacity).toFixed(1)} times as many; ` +
      `goodput ${(100 * goodput).toFixed(0)} %, p99 of accepted ${p99(good).toFixed(0)} ms, ` +
      `${refused.length} refused (p99 ${p99(refused).toFixed(0)} ms)${kinds}, normal after ${normalMs.toFixed(0)} ms: ` +
      `${kept ? 'kept' : 'NOT KEPT'}`,
  );
  return kept;
}

const dataDir = mkdtempSync(join(tmpdir(), 'quarterdeck-overload-'));
const server = await startServer(dataDir, undefined, { QUARTERDECK_LOG_LEVEL: 'error' });
try {
  const { session } = await makeCredentials(server);
  const headers = { 'edge-token': session };
  const make = async (path: string, body: unknown) =>
    (await call(server, path, { method: 'POST', headers, body: JSON.stringify(body) })).data;
  const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
  const tokens: string[] = [];
  for (const i of numbers(SENDERS)) {
    tokens.push(((await make('/admin-api/api_token', { name: `sender ${i}` })) as { token: string }).token);
  }
  for (const i of numbers(USERS)) {
    await make('/admin-api/user', { username: `user-${i}`, role: 'viewer', password: `${ADMIN_PASSWORD} ${i}` });
  }
  const lines = numbers(LINES).map((i) => ({
    level: 4,
    app_id: i % 20,
    log: `upstream ${'ghijklmnop'[i % 10]} refused the connection after ${i} ms, the request is tried again elsewhere`,
  }));
  const batch = gzipSync(JSON.stringify(lines));
  const packed = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
  const work: readonly Work[] = [
    {
      name: `batches of ${LINES} lines`,
      next: (n) => ({
        path: ERRLOG,
        headers: { ...packed, 'API-Token': tokens[n % SENDERS] ?? '' },
        body: batch,
      }),
    },
    {
      // Of many users at many addresses: attempts at one account wait for each other.
      name: 'sign-ins',
      next: (n) => ({
        path: '/admin-api/user/login',
        headers: {},
        body: JSON.stringify({ username: `user-${n % USERS}`, password: `${ADMIN_PASSWORD} ${n % USERS}` }),
        localAddress: `127.0.5.${1 + (n % USERS)}`,
      }),
    },
  ];
  const results: boolean[] = [];
  for (const one of work) results.push(await overload(server.url, one));
  process.exitCode = results.every(Boolean) ? 0 : 1;
} finally {
  agent.destroy();
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
