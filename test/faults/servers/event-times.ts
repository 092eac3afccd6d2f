// `pnpm faults event-times [--events 300] [--broken]`: measures the time from a stored line at one server to its event
// on a stream of the other one. It does so at rest, and while both store batches. See the README of the folder above.
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { openStream } from '../event-stream.ts';
import { call, ERRLOG, keptConnections, newText } from '../honest-clients.ts';
import { limitMs } from '../promised-time.ts';
import { readOptions } from '../script.ts';
import { startTwoServers } from './two-servers.ts';

const { events } = readOptions('event-times', { events: 300 });
const WITHIN_MS = 100;
/** Mean time between two writes. Random, so that no timer of the server keeps step. */
const EVERY_MS = 60;
const ARRIVE_MAX_MS = 10_000;

/** Text of an error -> time at which its event arrived. */
const arrivedMs = new Map<string, number>();

/** Notes the arrival of each new error. */
function note(text: string): void {
  const nowMs = performance.now();
  for (const [, name = ''] of text.matchAll(/timed ([g-z]{20})/g)) arrivedMs.set(name, nowMs);
}

/** Writes errors at one server; returns the milliseconds from each answer to its event, in order of size. */
async function measure(url: string, session: string): Promise<number[]> {
  const agent = keptConnections();
  const headers = { 'edge-token': session };
  const answeredMs = new Map<string, number>();
  for (let n = 0; n < events; n += 1) {
    const name = newText();
    await call({ url, path: ERRLOG, headers, agent, body: { level: 4, log: `timed ${name}` } });
    answeredMs.set(name, performance.now());
    await delay(EVERY_MS * 2 * Math.random());
  }
  const giveUpMs = performance.now() + ARRIVE_MAX_MS;
  while ([...answeredMs.keys()].some((name) => !arrivedMs.has(name)) && performance.now() < giveUpMs) await delay(10);
  agent.destroy();
  // An event may overtake its answer.
  return [...answeredMs]
    .map(([name, ms]) => Math.max(0, (arrivedMs.get(name) ?? Number.POSITIVE_INFINITY) - ms))
    .sort((a, b) => a - b);
}

function report(name: string, tookMs: readonly number[]): boolean {
  const at = (share: number) => tookMs[Math.min(tookMs.length - 1, Math.floor(tookMs.length * share))] ?? 0;
  console.log(
    `${name}: ${tookMs.length} events, p50 ${at(0.5).toFixed(0)} ms, p99 ${at(0.99).toFixed(0)} ms, ` +
      `longest ${at(1).toFixed(0)} ms`,
  );
  return at(0.99) <= limitMs(WITHIN_MS);
}

await using world = await startTwoServers();
const { servers, session } = world;
const query = '?types=errlog.new';
await openStream(servers[1].url, { 'edge-token': session }, { query, onText: note });
const atRest = report('at rest', await measure(servers[0].url, session));
const workerData = { urls: servers.map(({ url }) => url), session };
const load = new Worker(new URL('batches.worker.ts', import.meta.url), { workerData });
await once(load, 'message');
const inLoad = report('while both store batches', await measure(servers[0].url, session));
load.postMessage('stop');
const [lines] = (await once(load, 'message')) as [number];
await load.terminate();
console.log(`${lines} lines a second were stored meanwhile`);
process.exitCode = atRest && inLoad ? 0 : 1;
