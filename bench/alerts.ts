// `pnpm bench:alerts [GROUPS]`: time from the commit of a line to the request at a channel. The server has 200 rules,
// many groups, and gets 1,000 lines a second, on SQLite and on PostgreSQL. Its limit runs beside it: a bare request to
// the same receiver.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { call } from './api.ts';
import { type Side, startSides } from './databases.ts';
import { count, ms } from './report.ts';

const GROUPS = Number(process.argv[2] ?? 100_000);
const RULES = 200;
const LINES_PER_SECOND = 1_000;
const BATCH = 50;
const SECONDS = 60;
/** Time between two new errors, in milliseconds: 20 in 10 s would become one message. */
const NEW_EVERY_MS = 1_000;
/** Errors that the other lines are of. */
const KNOWN = 300;

/** Times of one new error, Unix milliseconds. */
interface Times {
  readonly storedMs: number;
  firedMs?: number;
  receivedMs?: number;
}

/** Kinds and filters of rules as an installation has them; none but the first one matches the new errors. */
const ruleOf = (i: number) => {
  const filter = `service:svc-${i % 40}`;
  if (i === 0) return { when: { kind: 'errlog.new' }, filter: 'service:fresh' };
  if (i % 5 === 0) return { when: { kind: 'errlog.new' }, filter };
  if (i % 5 === 1) return { when: { kind: 'errlog.regressed' }, filter };
  if (i % 5 === 2) return { when: { kind: 'errlog.spike', count: 1_000_000 }, filter };
  if (i % 5 === 3) return { when: { kind: 'agent.offline' } };
  return { when: { kind: 'errlog.count', count: 1_000_000, per: 'service' }, filter };
};

async function startReceiver(onMessage: (message: { data: { title?: string; fired?: number } }) => void) {
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      res.writeHead(204).end();
      onMessage(JSON.parse(Buffer.concat(chunks).toString()));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
}

/** Percentile of some numbers. */
function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

const spread = (values: readonly number[]) =>
  `p50 ${ms(percentile(values, 0.5))}  p99 ${ms(percentile(values, 0.99))}  most ${ms(Math.max(...values))}`;

async function bench({ name, server, headers }: Side): Promise<void> {
  const times = new Map<string, Times>();
  const receiver = await startReceiver(({ data: { title = '', fired = 0 } }) => {
    const one = times.get(/fresh-\d+-x/.exec(title)?.[0] ?? '');
    if (one === undefined || one.receivedMs !== undefined) return;
    one.receivedMs = Date.now();
    one.firedMs = fired * 1000;
  });
  const ask = async (path: string, body: unknown) =>
    (await call(server, path, { method: 'POST', body: JSON.stringify(body), headers })).data as { readonly id: number };
  const { id } = await ask('/admin-api/webhook', { name: 'bench', url: receiver.url });
  for (let i = 0; i < RULES; i += 1) {
    await ask('/admin-api/alert', { name: `rule ${i}`, ...ruleOf(i), cooldown: 0, channels: [id] });
  }
  const lines = (batch: number) =>
    Array.from({ length: BATCH }, (_, i) => {
      const n = (batch * BATCH + i) % KNOWN;
      return {
        level: 'error',
        log: `known failure ${String.fromCharCode(97 + (n % 26))} of part`,
        service: `svc-${n % 40}`,
      };
    });
  // A server whose groups were stored by other rules changes them first.
  while (
    !(await ask('/admin-api/log_server/errlog', lines(0)).then(
      () => true,
      () => false,
    ))
  )
    await delay(500);
  const stalls: number[] = [];
  let isOver = false;
  const probe = (async () => {
    while (!isOver) {
      const startMs = performance.now();
      await (await fetch(`${server.url}/healthz`)).arrayBuffer();
      stalls.push(performance.now() - startMs);
      await delay(10);
    }
  })();
  const fresh = (async () => {
    for (let i = 0; !isOver; i += 1) {
      const word = `fresh-${i}-x`;
      // Letters, because numbers are no part of what makes an error.
      const log = `${word} ${[...String(i)].map((digit) => 'abcdefghij'[Number(digit)]).join('')} broke`;
      await ask('/admin-api/log_server/errlog', { level: 'error', log, service: 'fresh' });
      times.set(word, { storedMs: Date.now() });
      await delay(NEW_EVERY_MS);
    }
  })();
  const cpuBefore = server.cpuUs();
  const startMs = performance.now();
  let sent = 0;
  for (let batch = 0; performance.now() - startMs < SECONDS * 1000; batch += 1) {
    await ask('/admin-api/log_server/errlog', lines(batch));
    sent += BATCH;
    await delay(Math.max(0, startMs + (sent / LINES_PER_SECOND) * 1000 - performance.now()));
  }
  isOver = true;
  await Promise.all([probe, fresh]);
  await delay(3_000);
  const seconds = (performance.now() - startMs) / 1000;
  const got = [...times.values()].filter(({ receivedMs }) => receivedMs !== undefined) as Required<Times>[];
  const bare: number[] = [];
  for (let i = 0; i < 100; i += 1) {
    const beganMs = performance.now();
    await (await fetch(receiver.url, { method: 'POST', body: '{"data":{}}' })).arrayBuffer();
    bare.push(performance.now() - beganMs);
  }
  console.log(`  ${name}: ${got.length} of ${times.size} new errors, ${count(sent / seconds)} other lines/s`);
  console.log(`    stored -> alert     ${spread(got.map(({ storedMs, firedMs }) => Math.max(0, firedMs - storedMs)))}`);
  console.log(`    alert -> request    ${spread(got.map(({ firedMs, receivedMs }) => receivedMs - firedMs))}`);
  console.log(`    stored -> request   ${spread(got.map(({ storedMs, receivedMs }) => receivedMs - storedMs))}`);
  console.log(`    a bare request      ${spread(bare)}`);
  console.log(`    /healthz meanwhile  ${spread(stalls)}`);
  console.log(
    `    processor           ${(((server.cpuUs() - cpuBefore) / 1e6 / seconds) * 100).toFixed(0)} % of a core`,
  );
  receiver.close();
}

console.log(`${count(GROUPS)} groups, ${RULES} rules, ${count(LINES_PER_SECOND)} lines/s for ${SECONDS} s`);
const sides = await startSides(GROUPS, 1, { QUARTERDECK_WEBHOOK_ALLOW: '127.0.0.0/8' });
try {
  for (const side of [sides.sqlite, sides.postgresql]) await bench(side);
} finally {
  await sides.stop();
}
