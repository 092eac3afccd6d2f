// Clients that send small requests at a fixed rate while a server is attacked, with the duration of each answer.
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type Asked, ask, ERRLOG } from './honest-clients.ts';

interface Question extends Pick<Asked, 'path' | 'headers' | 'body'> {
  readonly name: string;
  /** Milliseconds from one request to the next, answered or not. */
  readonly everyMs: number;
}

/** Waits for the answers to one kind of request, in milliseconds. */
export interface Waits {
  readonly name: string;
  readonly answers: number;
  /** Answers other than 200, and requests without an answer. */
  readonly failures: number;
  readonly p99: number;
  readonly max: number;
}

export interface OtherClients {
  /** Returns the waits since the last call, including open requests once they are answered. */
  take(): Promise<Waits[]>;
  /** Resolves when everything is answered. */
  stop(): Promise<unknown>;
}

const PATIENCE_MS = 300_000;
const RECORD = {
  resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: { stringValue: 'other exporter: refused' } }] }] }],
};

/** Requests of a dashboard, a probe, a small sender and a small exporter. */
const QUESTIONS: readonly Question[] = [
  { name: 'healthz', path: '/healthz', everyMs: 10 },
  { name: 'list', path: `${ERRLOG}?page_size=10`, everyMs: 20 },
  { name: 'small batch', path: ERRLOG, body: { level: 4, log: 'other client: connection refused' }, everyMs: 40 },
  {
    name: 'small OTLP',
    path: '/v1/logs',
    headers: { 'Content-Encoding': 'gzip' },
    body: gzipSync(JSON.stringify(RECORD)),
    everyMs: 100,
  },
];

/** Starts the clients. Each kind of request has its own connections, from its own source address. */
export function startOtherClients(url: string, token: string): OtherClients {
  const stopped = new AbortController();
  const askers = QUESTIONS.map((question, i) => startAsking(url, question, token, `127.0.2.${i + 1}`, stopped.signal));
  return {
    take: () => Promise.all(askers.map((take) => take())),
    stop() {
      stopped.abort();
      return Promise.all(askers.map((take) => take()));
    },
  };
}

function startAsking(url: string, question: Question, token: string, localAddress: string, stopped: AbortSignal) {
  const { name, path, body, everyMs } = question;
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const headers = { 'edge-token': token, 'Content-Type': 'application/json', ...question.headers };
  const open = new Set<Promise<void>>();
  let waits: number[] = [];
  let failures = 0;

  async function askOnce(): Promise<void> {
    const startedMs = performance.now();
    const send = () => ask({ url, path, headers, body, agent, localAddress, patienceMs: PATIENCE_MS });
    let answer = await send();
    // The server closed an idle connection at the moment of its reuse.
    while (typeof answer.outcome === 'string' && answer.isReused) answer = await send();
    waits.push(performance.now() - startedMs);
    if (answer.outcome !== 200) failures += 1;
  }
  const timer = setInterval(() => {
    const asked = askOnce();
    open.add(asked);
    void asked.finally(() => open.delete(asked));
  }, everyMs);
  stopped.addEventListener('abort', () => clearInterval(timer));

  return async (): Promise<Waits> => {
    await Promise.all(open);
    const sorted = waits.toSorted((a, b) => a - b);
    const result = {
      name,
      answers: sorted.length,
      failures,
      p99: Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0),
      max: Math.round(sorted.at(-1) ?? 0),
    };
    waits = [];
    failures = 0;
    return result;
  };
}

/** Formats waits in one line. */
export const formatWaits = (all: readonly Waits[]): string =>
  all
    .map(({ name, max, p99, failures }) => `${name} ${max}/${p99}${failures > 0 ? ` (${failures} failed)` : ''}`)
    .join(', ');

/** Waits a second for a quiet server, then returns the waits without an attack. */
export async function quietWaits(clients: OtherClients): Promise<Waits[]> {
  await delay(1_000);
  await clients.take();
  await delay(2_000);
  return clients.take();
}
