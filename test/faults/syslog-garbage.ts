// `pnpm faults syslog-garbage [--database sqlite|postgresql] [--only TEXT]`: sends 8 MiB of tiny lines over syslog by
// TCP while other clients send small requests, and another sender a line at intervals. All lines are stored, HTTP
// clients wait 100 ms at most, and a line of the other sender a second. See README.md beside this file.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Attacked, attackEach, attackOptions, watch } from './attacked-server.ts';
import { call, ERRLOG } from './honest-clients.ts';

const options = attackOptions('syslog-garbage');
const BYTES = 8 * 1024 * 1024;
const SENDER_WAIT_MAX_MS = 1_000;
const ABSORB_MAX_MS = 300_000;
/** Level of lines without a priority, and of `<8>`. */
const [GARBAGE_LEVEL, SENDER_LEVEL] = [4, 1];

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

const open = async ({ syslogPort }: Attacked): Promise<Socket> => {
  const socket = connect(syslogPort, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
};

interface Group {
  readonly log: string;
  readonly count: number;
}

const list = async ({ server: { url }, session }: Attacked, query: string) => {
  const asked = { url, path: `${ERRLOG}?${query}`, headers: { 'edge-token': session } };
  return (await call<{ data: readonly Group[] }>(asked)).data;
};

async function storedLines(attacked: Attacked): Promise<number> {
  // Groups of the other clients have more than one letter, so these are distinct.
  const groups = await list(attacked, `level=${GARBAGE_LEVEL}&page_size=10000`);
  return groups.filter(({ log }) => log.length <= 3).reduce((sum, { count }) => sum + count, 0);
}

/** Sends a line, waits until it is readable, and repeats; returns a function that ends it and returns the waits. */
async function startOtherSender(attacked: Attacked): Promise<() => Promise<number[]>> {
  const socket = await open(attacked);
  const waits: number[] = [];
  let running = true;
  const sending = (async () => {
    for (let i = 0; running; i += 1) {
      const log = `line ${i} of another sender`;
      const startedMs = performance.now();
      socket.write(`<8>${log}\n`);
      while (running && (await list(attacked, `level=${SENDER_LEVEL}&page_size=1`))[0]?.log !== log) await delay(10);
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

async function sendGarbage(attacked: Attacked, name: string): Promise<void> {
  const { bytes = Buffer.alloc(0), connections = 0 } = GARBAGE[name] ?? {};
  const wanted = (await storedLines(attacked)) + (connections * bytes.length) / (bytes.indexOf('\n') + 1);
  const stop = await startOtherSender(attacked);
  await delay(500);
  const waits = await watch(attacked, name);
  const startedMs = performance.now();
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(attacked)));
  for (const socket of sockets) socket.end(bytes);
  let missing = wanted;
  while (missing > 0 && performance.now() - startedMs < ABSORB_MAX_MS) {
    await delay(100);
    missing = wanted - (await storedLines(attacked));
  }
  const tookMs = Math.round(performance.now() - startedMs);
  const others = await waits();
  const senderMs = Math.round(Math.max(...(await stop())));
  console.log(`${name}: stored after ${tookMs} ms, memory at most ${attacked.server.memory.peak()} MB`);
  console.log(`    ${others}; the line of another sender waited ${senderMs} ms`);
  if (missing !== 0) attacked.wrong(`${name}: ${missing} lines are missing`);
  if (senderMs > SENDER_WAIT_MAX_MS) attacked.wrong(`${name}: another sender's line took ${senderMs} ms`);
}

async function attack(attacked: Attacked): Promise<void> {
  for (const name of Object.keys(GARBAGE)) if (name.includes(options.only)) await sendGarbage(attacked, name);
}

await attackEach(options, attack, 'no client waited long, and no line is missing');
