// Sends 8 MiB of tiny lines over one syslog connection by TCP. Meanwhile other clients send small requests, and another
// sender sends a line at intervals.
//
//   pnpm faults syslog-garbage [--database sqlite|postgresql] [--only TEXT] [--build FOLDER]
//
// For each kind of garbage it prints the time until all of it is stored, and the waits of others meanwhile
// (longest/99th percentile, ms). It exits with 1 in three cases:
// - an HTTP client waited more than 100 ms
// - a line of the other sender took more than a second
// - a line is missing
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type BuiltServer, DATABASES, startBuiltServer } from './built-server.ts';
import { formatWaits, longestWait, type OtherClients, quietWaits, startOtherClients } from './other-clients.ts';

const { values: options } = parseArgs({
  options: { database: { type: 'string' }, only: { type: 'string', default: '' }, build: { type: 'string' } },
});
const BYTES = 8 * 1024 * 1024;
const HTTP_WAIT_MAX_MS = 100;
const SENDER_WAIT_MAX_MS = 1_000;
const ABSORB_MAX_MS = 300_000;
/** Level of lines without a priority, and of `<8>`. */
const [GARBAGE_LEVEL, SENDER_LEVEL] = [4, 1];

const say = (line: string) => void process.stdout.write(`${line}\n`);

/** Numerical Recipes' linear congruential generator, so that every run sends the same. */
function randomLetters(): () => number {
  let state = 42;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 0x61 + ((state >>> 16) % 26);
  };
}

function randomLines(letters: number): Buffer {
  const next = randomLetters();
  const bytes = Buffer.alloc(BYTES - (BYTES % (letters + 1)));
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = i % (letters + 1) === letters ? 0x0a : next();
  return bytes;
}

/** Bytes to send, and the number of connections. */
const GARBAGE: Readonly<Record<string, { bytes: Buffer; connections: number }>> = {
  'equal one-byte lines': { bytes: Buffer.alloc(BYTES, 'a\n'), connections: 1 },
  'random one-byte lines': { bytes: randomLines(1), connections: 1 },
  'random three-byte lines': { bytes: randomLines(3), connections: 1 },
  'random one-byte lines on eight connections': { bytes: randomLines(1).subarray(0, BYTES / 8), connections: 8 },
};

const open = async (server: BuiltServer): Promise<Socket> => {
  const socket = connect(server.syslogPort, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
};

async function ask<T>(server: BuiltServer, query: string): Promise<T> {
  const url = `http://127.0.0.1:${server.port}/admin-api/log_server/errlog?${query}`;
  const answer = await fetch(url, { headers: { 'edge-token': server.token } });
  return ((await answer.json()) as { data: T }).data;
}

interface Groups {
  readonly data: readonly { readonly log: string; readonly count: number }[];
}

async function storedLines(server: BuiltServer): Promise<number> {
  // Groups of the other clients have more than one letter, so these are distinct.
  const { data } = await ask<Groups>(server, `level=${GARBAGE_LEVEL}&page_size=10000`);
  return data.filter(({ log }) => log.length <= 3).reduce((sum, { count }) => sum + count, 0);
}

/** Sends a line, waits until it is readable, and repeats; returns a function that ends it and returns the waits. */
async function startOtherSender(server: BuiltServer): Promise<() => Promise<number[]>> {
  const socket = await open(server);
  const waits: number[] = [];
  let running = true;
  const sending = (async () => {
    for (let i = 0; running; i += 1) {
      const log = `line ${i} of another sender`;
      const startedMs = performance.now();
      socket.write(`<8>${log}\n`);
      while (running && (await ask<Groups>(server, `level=${SENDER_LEVEL}&page_size=1`)).data[0]?.log !== log) {
        await delay(10);
      }
      waits.push(performance.now() - startedMs);
      await delay(50);
    }
    socket.end();
  })();
  return async () => {
    running = false;
    await sending;
    return waits;
  };
}

async function sendGarbage(
  server: BuiltServer,
  clients: OtherClients,
  { bytes, connections }: { bytes: Buffer; connections: number },
) {
  const lineBytes = bytes.indexOf('\n') + 1;
  const before = await storedLines(server);
  const wanted = before + (connections * bytes.length) / lineBytes;
  const stop = await startOtherSender(server);
  await delay(500);
  await clients.take();
  server.memory.resetPeak();
  const main = server.mainThreadMs();
  const startedMs = performance.now();
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(server)));
  for (const socket of sockets) socket.end(bytes);
  let stored = before;
  while (stored < wanted && performance.now() - startedMs < ABSORB_MAX_MS) {
    await delay(100);
    stored = await storedLines(server);
  }
  const tookMs = Math.round(performance.now() - startedMs);
  const waits = await clients.take();
  const { ran, queued } = server.mainThreadMs();
  const mainThread = `the main thread ran ${Math.round(ran - main.ran)}, waited ${Math.round(queued - main.queued)} for a processor`;
  const senderMs = Math.round(Math.max(...(await stop())));
  return { tookMs, waits, senderMs, mainThread, missing: wanted - stored };
}

async function attack(database: (typeof DATABASES)[number]): Promise<string[]> {
  await using server = await startBuiltServer(database, options.build);
  const clients = startOtherClients(server.port, server.token);
  say(`\n${database}: without an attack others wait ${formatWaits(await quietWaits(clients))}`);
  const wrong: string[] = [];
  for (const [name, garbage] of Object.entries(GARBAGE)) {
    if (!name.includes(options.only)) continue;
    const { tookMs, waits, senderMs, mainThread, missing } = await sendGarbage(server, clients, garbage);
    say(`${name}: stored after ${tookMs} ms, memory at most ${server.memory.peak()} MB`);
    say(`    others waited ${formatWaits(waits)}, the line of another sender ${senderMs}; ${mainThread}`);
    if (missing !== 0) wrong.push(`${name}: ${missing} lines are missing`);
    if (longestWait(waits) > HTTP_WAIT_MAX_MS) wrong.push(`${name}: a client waited ${longestWait(waits)} ms`);
    if (senderMs > SENDER_WAIT_MAX_MS) wrong.push(`${name}: another sender's line took ${senderMs} ms`);
  }
  await clients.stop();
  return wrong.map((what) => `${database}: ${what}`);
}

const wrong: string[] = [];
for (const database of DATABASES) {
  if (options.database === undefined || options.database === database) wrong.push(...(await attack(database)));
}
say('');
for (const what of wrong) say(`WRONG ${what}`);
say(wrong.length === 0 ? 'no client waited long, and no line is missing' : 'FAILED');
process.exitCode = wrong.length === 0 ? 0 : 1;
