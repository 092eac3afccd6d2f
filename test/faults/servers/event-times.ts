// `pnpm faults event-times [--events 300] [--broken]`: measures the time from a stored line at one server to its event
// on a stream of the other one. It does so at rest, and while both store batches. See the README of the folder above.
import { once } from 'node:events';
import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { breakServer } from '../broken-server.ts';
import { ask, keptConnections } from '../honest-clients.ts';
import { limitMs } from '../promised-time.ts';
import { newText } from '../server/steady-load.ts';
import { startTwoServers } from './two-servers.ts';

const { values: options } = parseArgs({
  options: { events: { type: 'string', default: '300' }, broken: { type: 'boolean', default: false } },
});
const EVENTS = Number(options.events);
const WITHIN_MS = limitMs(100);
/** Mean time between two writes. Random, so that no timer of the server keeps step. */
const EVERY_MS = 60;
const ERRLOG = '/admin-api/log_server/errlog';
const PATIENCE_MS = 10_000;

/** Text of an error -> time at which its event arrived. */
const arrivedMs = new Map<string, number>();

/** Opens a stream that notes the arrival of each new error. Resolves once it has begun. */
function openStream(url: string, session: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = get(`${url}/admin-api/events?types=errlog.new`, { headers: { 'edge-token': session } }, (res) => {
      res.setEncoding('utf8').on('error', () => {});
      res.on('data', (chunk: string) => {
        const nowMs = performance.now();
        if (/^id: \d+$/m.test(chunk)) resolve();
        for (const [, name = ''] of chunk.matchAll(/timed ([g-z]{20})/g)) arrivedMs.set(name, nowMs);
      });
    });
    request.on('error', reject);
  });
}

/** Writes errors at one server; returns the milliseconds from each answer to its event, in order of size. */
async function measure(url: string, session: string): Promise<number[]> {
  const agent = keptConnections();
  const headers = { 'edge-token': session };
  const answeredMs = new Map<string, number>();
  for (let n = 0; n < EVENTS; n += 1) {
    const name = newText();
    const { outcome } = await ask({
      url,
      path: ERRLOG,
      headers,
      agent,
      body: { level: 4, log: `timed ${name}` },
      patienceMs: PATIENCE_MS,
    });
    if (outcome !== 200) throw new Error(`a line was answered with ${outcome}`);
    answeredMs.set(name, performance.now());
    await delay(EVERY_MS * 2 * Math.random());
  }
  const giveUpMs = performance.now() + PATIENCE_MS;
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
  return at(0.99) <= WITHIN_MS;
}

if (options.broken) breakServer('event-times');
await using world = await startTwoServers();
const { servers, session } = world;
await openStream(servers[1].url, session);
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
