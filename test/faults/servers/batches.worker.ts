// A thread that sends batches to several servers until it is asked to stop: another thread measures meanwhile.
import { parentPort, workerData } from 'node:worker_threads';
import { ask, ERRLOG, keptConnections } from '../honest-clients.ts';

const { urls, session } = workerData as { readonly urls: readonly string[]; readonly session: string };
const LINES = 500;
/** So few that their repeats are announced one by one. */
const GROUPS = 20;
const NAMES = Array.from({ length: GROUPS }, () =>
  Array.from({ length: 12 }, () => 'ghijklmnop'[Math.floor(Math.random() * 10)]).join(''),
);

let stopped = false;
let stored = 0;
const body = () =>
  Array.from({ length: LINES }, () => ({ level: 4, log: `steady ${NAMES[Math.floor(Math.random() * GROUPS)]}` }));

async function send(url: string): Promise<void> {
  const agent = keptConnections();
  const headers = { 'edge-token': session };
  while (!stopped) {
    const { outcome } = await ask({ url, path: ERRLOG, headers, agent, body: body(), patienceMs: 30_000 });
    if (outcome === 200) stored += LINES;
    if (stored > 0 && startedMs === 0) begin();
  }
  agent.destroy();
}

let startedMs = 0;
function begin(): void {
  startedMs = performance.now();
  stored = 0;
  parentPort?.postMessage('begun');
}

parentPort?.once('message', () => {
  stopped = true;
});
await Promise.all(urls.map(send));
parentPort?.postMessage(Math.round((stored * 1000) / (performance.now() - startedMs)));
