// Sends small bodies that are expensive to parse to the built server, while other clients send small requests.
//
//   pnpm faults otlp-bombs [--database sqlite|postgresql] [--only TEXT] [--build FOLDER]
//
// Each body is sent once, then eight times at once. For each it prints:
// - the waits of others (longest/99th percentile, ms)
// - the statuses of the answers
// - the server's memory before, at its peak and afterwards
//
// It exits with 1 when a client waited more than 100 ms or an answer was a 5xx other than 503. It also does when the
// memory did not return to within 100 MB.
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Bomb, makeBombs } from './bombs.ts';
import { type BuiltServer, DATABASES, startBuiltServer } from './built-server.ts';
import { formatWaits, longestWait, type OtherClients, quietWaits, startOtherClients } from './other-clients.ts';

const { values: options } = parseArgs({
  options: {
    database: { type: 'string' },
    only: { type: 'string', default: '' },
    build: { type: 'string' },
  },
});
const WAIT_MAX_MS = 100;
const MEMORY_MAX_MB = 100;
const AT_ONCE = 8;
/** Maximum time for the memory to return. */
const SETTLE_MS = 15_000;

const say = (line: string) => void process.stdout.write(`${line}\n`);

function send({ port, token }: BuiltServer, { path, headers, body }: Bomb): Promise<string> {
  return new Promise((resolve) => {
    const asked = request(
      { host: '127.0.0.1', port, method: 'POST', path, headers: { 'edge-token': token, ...headers } },
      (res) => res.resume().on('end', () => resolve(String(res.statusCode))),
    );
    asked.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
    asked.end(body);
  });
}

const countEach = (values: readonly string[]): string =>
  [...new Set(values)].map((value) => `${values.filter((one) => one === value).length} x ${value}`).join(' ');

const isWrong = (status: string) => !/^[24]\d\d$|^503$/.test(status);

async function throwBomb(server: BuiltServer, clients: OtherClients, bomb: Bomb): Promise<string[]> {
  const wrong: string[] = [];
  for (const times of [1, AT_ONCE]) {
    await clients.take();
    server.memory.resetPeak();
    const [before, main] = [server.memory.resident(), server.mainThreadMs()];
    const startedMs = performance.now();
    const statuses = await Promise.all(Array.from({ length: times }, () => send(server, bomb)));
    const tookMs = Math.round(performance.now() - startedMs);
    await delay(300);
    const waits = await clients.take();
    const title = `${bomb.name}, ${times} at once`;
    say(`${title}: ${countEach(statuses)} in ${tookMs} ms; memory ${before} -> ${server.memory.peak()} MB`);
    const { ran, queued } = server.mainThreadMs();
    const [ranMs, queuedMs] = [Math.round(ran - main.ran), Math.round(queued - main.queued)];
    say(`    others waited ${formatWaits(waits)}; the main thread ran ${ranMs}, waited ${queuedMs} for a processor`);
    if (longestWait(waits) > WAIT_MAX_MS) wrong.push(`${title}: a client waited ${longestWait(waits)} ms`);
    if (statuses.some(isWrong)) wrong.push(`${title}: ${countEach(statuses)}`);
  }
  return wrong;
}

/** Waits until the memory no longer falls, and returns it. */
async function settledMemory(server: BuiltServer, goal: number): Promise<number> {
  const untilMs = performance.now() + SETTLE_MS;
  let lowest = server.memory.resident();
  while (lowest > goal && performance.now() < untilMs) {
    await delay(500);
    lowest = Math.min(lowest, server.memory.resident());
  }
  return lowest;
}

async function attack(database: (typeof DATABASES)[number], bombs: readonly Bomb[]): Promise<string[]> {
  await using server = await startBuiltServer(database, options.build);
  const clients = startOtherClients(server.port, server.token);
  say(`\n${database}: without an attack others wait ${formatWaits(await quietWaits(clients))}`);
  const before = server.memory.resident();
  const wrong: string[] = [];
  for (const bomb of bombs) wrong.push(...(await throwBomb(server, clients, bomb)));
  await clients.stop();
  const after = await settledMemory(server, before + MEMORY_MAX_MB);
  say(`memory ${before} MB before, ${after} MB after`);
  if (after > before + MEMORY_MAX_MB) wrong.push(`memory grew from ${before} to ${after} MB`);
  return wrong.map((what) => `${database}: ${what}`);
}

const bombs = makeBombs().filter(({ name }) => name.includes(options.only));
const wrong: string[] = [];
for (const database of DATABASES) {
  if (options.database === undefined || options.database === database) wrong.push(...(await attack(database, bombs)));
}
say('');
for (const what of wrong) say(`WRONG ${what}`);
say(wrong.length === 0 ? `no client waited more than ${WAIT_MAX_MS} ms, and the memory returned` : 'FAILED');
process.exitCode = wrong.length === 0 ? 0 : 1;
