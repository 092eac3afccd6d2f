// Load on the intake: each batch is sent once, whichever connection sends it.
import { Agent, request } from 'node:http';
import { JSON_TYPE } from './api.ts';
import { BATCH_LINES, groupLevel, groupText } from './lines.ts';
import type { Figures } from './load.ts';
import type { Program } from './processes.ts';

/** Bodies whose lines are all of different groups, beginning with number `first`. */
export function* allDifferent(first: number): Generator<string> {
  for (let n = first; ; n += BATCH_LINES) {
    yield JSON.stringify(
      Array.from({ length: BATCH_LINES }, (_, i) => ({ level: groupLevel(n + i), log: groupText(n + i) })),
    );
  }
}

/** The same bodies again and again. */
export function* inTurn(bodies: readonly string[]): Generator<string> {
  for (let i = 0; ; i += 1) yield bodies[i % bodies.length] ?? '';
}

/** Sends batches for some seconds over some connections. Any answer but 200 makes the figures worthless, so it throws. */
export async function sendBatches(
  server: Program,
  headers: Record<string, string>,
  bodies: Iterator<string>,
  seconds: number,
  connections = 8,
): Promise<Figures & { linesPerSecond: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  const cpuBefore = server.cpuUs();
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1000;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < endAt) {
        const sentAt = performance.now();
        await post(server, headers, bodies.next().value as string, agent);
        times.push(performance.now() - sentAt);
      }
    }),
  );
  const tookS = (performance.now() - startedAt) / 1000;
  agent.destroy();
  times.sort((a, b) => a - b);
  const perSecond = times.length / tookS;
  return {
    perSecond,
    linesPerSecond: perSecond * BATCH_LINES,
    p50Ms: times[Math.floor(times.length / 2)] ?? 0,
    p99Ms: times[Math.floor(times.length * 0.99)] ?? 0,
    cpuUs: (server.cpuUs() - cpuBefore) / times.length,
  };
}

function post(server: Program, headers: Record<string, string>, body: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const all = { ...headers, ...JSON_TYPE, 'content-length': Buffer.byteLength(body) };
    const url = `${server.url}/admin-api/log_server/errlog`;
    const req = request(url, { method: 'POST', headers: all, agent }, (res) => {
      res.resume();
      res.on('end', () => (res.statusCode === 200 ? resolve() : reject(new Error(`intake: ${res.statusCode}`))));
    });
    req.on('error', reject);
    req.end(body);
  });
}
