// Waits until the balancer uses a server.
import { setTimeout as delay } from 'node:timers/promises';
import type { Server } from '../server/world.ts';

const MAX_MS = 30_000;
/** More requests than the checks of the balancer and this one make at once. */
const MANY = 50;

/** Waits until a server answers requests of clients; resolves with the milliseconds that it took. */
export async function untilAsked(server: Server, session: string): Promise<number> {
  const startedMs = performance.now();
  const first = await answers(server, session);
  while ((await answers(server, session)) < first + MANY) {
    if (performance.now() - startedMs > MAX_MS) throw new Error('the server gets no requests');
    await delay(100);
  }
  return performance.now() - startedMs;
}

/** Number of answers since the start of a server. */
async function answers({ url }: Server, session: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers: { 'edge-token': session } })).text();
  const counts = [...text.matchAll(/^quarterdeck_http_answers_total\{.*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}
