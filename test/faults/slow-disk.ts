// `pnpm faults slow-disk [--seconds 20] [--sync 400]`: every sync of the disk takes so many milliseconds while tokens
// are created on SQLite. Health and reads must not wait for them. Then a trace of the system calls tells whether each
// answer came after its commit was on the disk.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findProgram } from '../programs.ts';
import { asAdmin, newPlace, QUARTERDECKD, type Server, startServer } from './built-server.ts';
import { limitMs } from './promised-time.ts';
import { cannotRun, conclude, readOptions } from './script.ts';
import { answersBeforeTheDisk } from './sync-trace.ts';

const { seconds, sync } = readOptions('unsynced', { seconds: 20, sync: 400 });
const strace = findProgram('strace') ?? cannotRun('needs strace (Debian: strace)');
/** 99th percentile of a time, in milliseconds. */
const P99_MAX_MS = 50;
const WRITERS = 8;
const READ_EVERY_MS = 20;
const TRACED = 40;

const wrong: string[] = [];

/** The 99th percentile. */
const p99 = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.POSITIVE_INFINITY;

/** Measures a request again and again until `isOver`. */
async function measure(url: string, headers: Readonly<Record<string, string>>, isOver: () => boolean) {
  const times: number[] = [];
  while (!isOver()) {
    const startMs = performance.now();
    const answer = await fetch(url, { headers });
    await answer.arrayBuffer();
    if (!answer.ok) wrong.push(`${url} answered ${answer.status}`);
    times.push(performance.now() - startMs);
    await delay(READ_EVERY_MS);
  }
  return times;
}

async function measureSlowDisk(server: Server): Promise<string> {
  const { client, session } = await asAdmin(server);
  const endMs = performance.now() + seconds * 1000;
  const isOver = () => performance.now() > endMs;
  let created = 0;
  const writers = Array.from({ length: WRITERS }, async () => {
    while (!isOver()) {
      const { id } = await client.apiToken.create({ body: { name: 'disk' } });
      created += 1;
      // A user has at most 500.
      await client.apiToken.remove({ params: { id } });
    }
  });
  const headers = { 'edge-token': session };
  const [health, reads] = await Promise.all([
    measure(`${server.url}/healthz`, {}, isOver),
    measure(`${server.url}/admin-api/log_server/errlog`, headers, isOver),
    ...writers,
  ]);
  for (const [name, times] of [
    ['health', health],
    ['reads', reads],
  ] as const) {
    if (p99(times) > limitMs(P99_MAX_MS)) wrong.push(`${name}: p99 ${p99(times).toFixed(0)} ms`);
  }
  if (created === 0) wrong.push('no token was created');
  return `${created} tokens; p99 of health ${p99(health).toFixed(0)} ms, of reads ${p99(reads).toFixed(0)} ms`;
}

/** strace beside the server, which stays our child. */
const traced = (...options: readonly string[]): readonly string[] => [
  strace,
  ...['-D', '-f', '--seccomp-bpf', '-o', trace, ...options],
  QUARTERDECKD,
];

await using place = await newPlace();
const trace = join(place.folder, 'trace');

const slow = await startServer(
  place,
  {},
  traced('-e', 'trace=fdatasync,fsync', '-e', `inject=fdatasync,fsync:delay_enter=${sync}ms`),
);
const figure = await measureSlowDisk(slow);
await slow.end('SIGTERM');
rmSync(trace, { force: true });

const watched = await startServer(
  await place.another(),
  {},
  traced('-yy', '-s', '5000', '-e', 'trace=fdatasync,fsync,pwrite64,write,writev,sendto'),
);
const { client } = await asAdmin(watched);
const names = Array.from({ length: TRACED }, (_, i) => `marked-${i}-${process.pid}`);
await Promise.all(names.map((name) => client.apiToken.create({ body: { name } })));
await watched.end('SIGTERM');
const early = answersBeforeTheDisk(readFileSync(trace, 'latin1'), names);
for (const text of early) wrong.push(text);

conclude(wrong, `syncs of ${sync} ms: ${figure}; ${TRACED} answers came after their sync`);
