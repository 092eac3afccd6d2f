// Two servers behind haproxy, with the clients of a fault script.
import { setTimeout as delay } from 'node:timers/promises';
import { type Clients, startClients } from './clients.ts';
import { startProxy } from './proxy.ts';
import { startTwoServers, type TwoServers } from './two-servers.ts';

const COUNTS = { senders: 8, agents: 4, reporters: 2, readers: 4, followers: 4 };
export const CONNECTIONS = Object.values(COUNTS).reduce((sum, n) => sum + n, 0);
const ASKED_MAX_MS = 120_000;
/** More requests than the checks of the balancer and `untilAsked` make at once. */
const MANY = 50;

/** Two servers behind haproxy, and their clients. */
export interface BehindProxy extends TwoServers {
  readonly clients: Clients;
  /** Starts a server again and waits until it is used; resolves with the milliseconds that it took. */
  restartUntilAsked(index: 0 | 1): Promise<number>;
}

/** Runs clients while servers end and return; prints a line about their work. Returns what is wrong afterwards. */
export async function withClients(
  settings: Readonly<Record<string, string>>,
  run: (world: BehindProxy) => Promise<void>,
): Promise<string[]> {
  await using servers = await startTwoServers({ QUARTERDECK_TRUSTED_PROXIES: '127.0.0.1', ...settings });
  await using proxy = await startProxy([servers.servers[0].url, servers.servers[1].url]);
  const clients = await startClients(proxy.url, servers.session, COUNTS);
  const startedMs = performance.now();
  const restartUntilAsked = async (index: 0 | 1) => untilAsked((await servers.restart(index)).url, servers.session);
  await run({ ...servers, clients, restartUntilAsked });
  await clients.stop();
  const wrong = await clients.wrong();
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  console.log(`${clients.good()} good answers in ${seconds} s; ${clients.compared()}`);
  return wrong;
}

/** Waits until a server answers requests of clients; resolves with the milliseconds that it took. */
async function untilAsked(url: string, session: string): Promise<number> {
  const startedMs = performance.now();
  const first = await answers(url, session);
  while ((await answers(url, session)) < first + MANY) {
    if (performance.now() - startedMs > ASKED_MAX_MS) throw new Error('the server gets no requests');
    await delay(100);
  }
  return performance.now() - startedMs;
}

/** Number of answers since the start of a server. */
async function answers(url: string, session: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers: { 'edge-token': session } })).text();
  const counts = [...text.matchAll(/^quarterdeck_http_answers_total\{.*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}
