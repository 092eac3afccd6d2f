// Loads the intake: each batch is sent once, on any connection.
import { Agent, request } from 'node:http';
import { JSON_TYPE } from './api.ts';
import { BATCH_LINES, groupLevel, groupText } from './lines.ts';
import { type Figures, quantile } from './load.ts';
import type { Program } from './processes.ts';

/**
 * Creates bodies whose lines are all in different groups, from number `first`. `madeBefore` of them are made before the
 * measurement, because the sender shares the processors with the server.
 */
export function allDifferent(first: number, madeBefore: number): Iterator<Buffer> {
  const body = (n: number) =>
    Buffer.from(
      JSON.stringify(
        Array.from({ length: BATCH_LINES }, (_, i) => ({ level: groupLevel(n + i), log: groupText(n + i) })),
      ),
    );
  const made = Array.from({ length: madeBefore }, (_, i) => body(first + i * BATCH_LINES));
  let n = first;
  return {
    next() {
      const value = made.shift() ?? body(n);
      n += BATCH_LINES;
      return { done: false, value };
    },
  };
}

/** Repeats the same bodies. */
export function* inTurn(bodies: readonly string[]): Generator<Buffer> {
  const bytes = bodies.map((body) => Buffer.from(body));
  for (let i = 0; ; i += 1) yield bytes[i % bytes.length] as Buffer;
}

/**
 * Sends batches for some seconds over some connections. Any answer but 200 makes the figures worthless, so it throws.
 */
export async function sendBatches(
  server: Program,
  headers: Record<string, string>,
  bodies: Iterator<Buffer>,
  seconds: number,
  connections: number,
): Promise<Figures & { linesPerSecond: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  const cpuBefore = server.cpuUs();
  const databaseBefore = server.databaseCpuUs?.() ?? 0;
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1000;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < endAt) {
        const sentAt = performance.now();
        await post(server, headers, bodies.next().value as Buffer, agent);
        times.push(performance.now() - sentAt);
      }
    }),
  );
  const tookS = (performance.now() - startedAt) / 1000;
  agent.destroy();
  const perSecond = times.length / tookS;
  return {
    perSecond,
    linesPerSecond: perSecond * BATCH_LINES,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    cpuUs: (server.cpuUs() - cpuBefore) / times.length,
    databaseUs: ((server.databaseCpuUs?.() ?? 0) - databaseBefore) / times.length,
  };
}

/** Sends one batch; rejects for any answer but 200. */
export function post(server: Program, headers: Record<string, string>, body: Buffer, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const all = { ...headers, ...JSON_TYPE, 'content-length': body.length };
    const url = `${server.url}/admin-api/log_server/errlog`;
    const req = request(url, { method: 'POST', headers: all, agent }, (res) => {
      res.resume();
      res.on('end', () => (res.statusCode === 200 ? resolve() : reject(new Error(`intake: ${res.statusCode}`))));
    });
    req.on('error', reject);
    req.end(body);
  });
}
