// `pnpm faults overload [--seconds 10] [--postgres] [--work batches|sign-ins] [--shared]`: ten times the work that the
// built server can do. It must refuse the rest with 429 or 503 and Retry-After, serve people meanwhile, and be as
// before within 2 s. The server has one processor and the clients another, except with --shared. See README.md.
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { asAdmin, newPlace, QUARTERDECKD, startServer } from './built-server.ts';
import { type Answered, ERRLOG, ORDINARY_LIMIT } from './honest-clients.ts';
import { capacityOf, closeConnections, flood, isGood, quantile, send, startPeople, type Work } from './offered-load.ts';
import { limitMs, limitShare } from './promised-time.ts';
import { readOptions } from './script.ts';

const {
  seconds,
  postgres,
  work: only,
  shared,
} = readOptions('overload', {
  seconds: 10,
  postgres: false,
  work: '',
  shared: false,
});
const TIMES = 10;
/** Longest wait for an answer of a server that is as before. */
const NORMAL_MS = 500;
const ACCEPTED_P99_MS = 500;
const REFUSED_P99_MS = 100;
const PEOPLE_P99_MS = 500;
const GOODPUT_MIN = 0.9;
const NORMAL_WITHIN_MS = 2_000;
/** Least good answers of a sender, as a share of what each sender would get of an equal division. */
const SHARE_MIN = 0.5;
/** Senders besides the greedy one, which has the number 0 and sends half of all requests. */
const SENDERS = 10;
const LINES = 1_000;
const USERS = 40;

const p99 = (answers: readonly Answered[]) => quantile(answers, 0.99);
const isRefused = ({ outcome, headers }: Answered) =>
  (outcome === 429 || outcome === 503) && headers['retry-after'] !== undefined;
/** Number of the sender of a request: every second one is of the greedy sender. */
const senderOf = (n: number) => (n % 2 === 0 ? 0 : 1 + ((n >> 1) % SENDERS));

/** Waits until a second of requests is answered well and soon; resolves with the milliseconds until it began. */
async function untilNormal(url: string, { next }: Work): Promise<number> {
  const startedMs = performance.now();
  let sinceMs = startedMs;
  while (performance.now() - sinceMs < 1_000 && performance.now() - startedMs < 60_000) {
    const answer = await send(url, next(0));
    if (!isGood(answer) || answer.ms > NORMAL_MS) sinceMs = performance.now();
    await delay(50);
  }
  return sinceMs - startedMs;
}

/** A figure beside its limit. */
interface Checked {
  readonly text: string;
  readonly isKept: boolean;
}

const atMost = (name: string, ms: number, promisedMs: number): Checked => ({
  text: `${name} ${ms.toFixed(0)} ms`,
  isKept: ms <= limitMs(promisedMs),
});
const atLeast = (name: string, share: number, promised: number): Checked => ({
  text: `${name} ${(100 * share).toFixed(0)} %`,
  isKept: share >= limitShare(promised),
});

/** Returns the good answers of the sender with the fewest, as a share of an equal division. */
function leastShare(good: readonly { readonly sender: number }[]): number {
  const counts = new Array<number>(1 + SENDERS).fill(0);
  for (const { sender } of good) counts[sender] = (counts[sender] ?? 0) + 1;
  return Math.min(...counts) / (good.length / counts.length);
}

async function overload(url: string, work: Work, person: readonly [string, string, string]): Promise<boolean> {
  await capacityOf(url, work, seconds);
  const before = startPeople(url, ...person);
  const capacity = await capacityOf(url, work, seconds);
  await before.stop();
  const people = startPeople(url, ...person);
  const { results, inTime, sentPerSecond, goodPerSecond } = await flood(url, work, capacity * TIMES, seconds);
  const { pages, signIns } = await people.stop();
  const normalMs = await untilNormal(url, work);
  const good = results.filter(isGood);
  const refused = results.filter(isRefused);
  // In a flood of sign-ins, the person who signs in is a sender like the others.
  const ofPeople = work.isSignIn ? signIns.filter((answer) => !isRefused(answer)) : signIns;
  const others = [...results.filter((answer) => !isRefused(answer)), ...pages, ...ofPeople].filter(
    (answer) => !isGood(answer),
  );
  const figures: readonly Checked[] = [
    atLeast('goodput', goodPerSecond / capacity, GOODPUT_MIN),
    atMost('p99 of accepted', p99(good), ACCEPTED_P99_MS),
    atMost('p99 of refused', p99(refused), REFUSED_P99_MS),
    atLeast('least share of a sender', leastShare(inTime), SHARE_MIN),
    atMost('p99 of page 1', p99(pages), PEOPLE_P99_MS),
    atMost('p99 of sign-ins', p99(signIns), PEOPLE_P99_MS),
    atMost('normal after', normalMs, NORMAL_WITHIN_MS),
  ];
  const kept = others.length === 0 && figures.every(({ isKept }) => isKept);
  const kinds = `, ${others.length} others (${[...new Set(others.map(({ outcome }) => outcome))].join(', ')})`;
  console.log(
    `${work.name}: capacity ${capacity.toFixed(0)}/s, sent ${(sentPerSecond / capacity).toFixed(1)} times as many; ` +
      `${figures.map(({ text, isKept }) => (isKept ? text : `${text} (!)`)).join(', ')}, p50 of accepted ` +
      `${quantile(good, 0.5).toFixed(0)} ms, ${good.length} accepted, ${refused.length} refused` +
      `${others.length === 0 ? '' : kinds}: ${kept ? 'kept' : 'NOT KEPT'}`,
  );
  return kept;
}

const isPinned = !shared && availableParallelism() > 1;
if (isPinned) spawnSync('taskset', ['-a', '-p', '-c', '1', String(process.pid)]);
console.log(isPinned ? 'the server has processor 0, the clients have processor 1' : 'all share the processors');

await using place = await newPlace(postgres);
await using server = await startServer(
  place,
  { ...ORDINARY_LIMIT, QUARTERDECK_LOG_LEVEL: 'error' },
  isPinned ? ['taskset', '-c', '0', QUARTERDECKD] : [QUARTERDECKD],
);
const { client, session } = await asAdmin(server);
const passwordOf = (n: number) => `${server.password} ${n % USERS}`;
const tokens: string[] = [];
for (let n = 0; n <= SENDERS; n += 1) {
  tokens.push((await client.apiToken.create({ body: { name: `sender ${n}` } })).token);
}
/** A user beside those of the flood. */
const PERSON = USERS;
for (let n = only === 'batches' ? PERSON : 0; n <= PERSON; n += 1) {
  await client.user.create({ body: { username: `user-${n}`, role: 'viewer', password: passwordOf(n) } });
}
const lines = Array.from({ length: LINES }, (_, i) => ({
  level: 4,
  app_id: i % 20,
  log: `upstream ${'ghijklmnop'[i % 10]} refused the connection after ${i} ms, the request is tried again elsewhere`,
}));
// Small on the wire and large at the server.
const batch = gzipSync(JSON.stringify(lines));
const packed = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
const works: readonly Work[] = [
  {
    // Of many users: attempts at one account wait for each other.
    name: 'sign-ins',
    isSignIn: true,
    next: (n) => {
      const sender = senderOf(n);
      return {
        sender,
        path: '/admin-api/user/login',
        body: { username: `user-${n % USERS}`, password: passwordOf(n) },
        localAddress: `127.0.5.${1 + sender}`,
      };
    },
  },
  {
    name: `batches of ${LINES} lines`,
    isSignIn: false,
    next: (n) => {
      const sender = senderOf(n);
      return { sender, path: ERRLOG, headers: { ...packed, 'API-Token': tokens[sender] ?? '' }, body: batch };
    },
  },
];
const results: boolean[] = [];
for (const one of works) {
  if (!one.name.startsWith(only)) continue;
  results.push(await overload(server.url, one, [session, `user-${PERSON}`, passwordOf(PERSON)]));
}
closeConnections();
process.exitCode = results.every(Boolean) ? 0 : 1;
