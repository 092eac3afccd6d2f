// Clients that send small requests at a fixed rate while a server is attacked, with the duration of each answer.
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

/** One kind of request. */
export interface Question {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
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

/** Clients at work. */
export interface OtherClients {
  /** Returns the waits since the last call, including open requests once they are answered. */
  take(): Promise<Waits[]>;
  /** Resolves when everything is answered. */
  stop(): Promise<unknown>;
}

const ERRLOG = '/admin-api/log_server/errlog';
const LINE = JSON.stringify({ level: 4, log: 'other client: connection refused' });
const RECORD = {
  resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: { stringValue: 'other exporter: refused' } }] }] }],
};

/** Requests of a dashboard, a probe, a small sender and a small exporter. */
export const QUESTIONS: readonly Question[] = [
  { name: 'healthz', method: 'GET', path: '/healthz', everyMs: 10 },
  { name: 'list', method: 'GET', path: `${ERRLOG}?page_size=10`, everyMs: 20 },
  { name: 'small batch', method: 'POST', path: ERRLOG, body: LINE, everyMs: 40 },
  {
    name: 'small OTLP',
    method: 'POST',
    path: '/v1/logs',
    headers: { 'Content-Encoding': 'gzip' },
    body: gzipSync(JSON.stringify(RECORD)),
    everyMs: 100,
  },
];

/** Starts the clients. Each kind of request has its own connections, from its own source address. */
export function startOtherClients(port: number, token: string, questions = QUESTIONS): OtherClients {
  const stopped = new AbortController();
  const askers = questions.map((question, i) => startAsking(question, port, token, `127.0.2.${i + 1}`, stopped.signal));
  return {
    take: () => Promise.all(askers.map((take) => take())),
    stop() {
      stopped.abort();
      return Promise.all(askers.map((take) => take()));
    },
  };
}

function startAsking(question: Question, port: number, token: string, localAddress: string, stopped: AbortSignal) {
  const { name, method, path, body, everyMs } = question;
  const agent = new Agent({ keepAlive: true, maxSockets: 64, localAddress });
  const headers = { 'edge-token': token, 'Content-Type': 'application/json', ...question.headers };
  const open = new Set<Promise<void>>();
  let waits: number[] = [];
  let failures = 0;

  const ask = () => {
    const startedMs = performance.now();
    return new Promise<void>((resolve) => {
      const done = (ok: boolean) => {
        waits.push(performance.now() - startedMs);
        if (!ok) failures += 1;
        resolve();
      };
      const send = () => {
        const asked = request({ host: '127.0.0.1', port, agent, method, path, headers }, (res) => {
          res.resume().on('end', () => done(res.statusCode === 200));
        });
        // The server closed an idle connection at the moment of its reuse.
        asked.on('error', () => (asked.reusedSocket ? send() : done(false)));
        asked.end(body);
      };
      send();
    });
  };
  const timer = setInterval(() => {
    const asked = ask();
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

/** Maximum of all waits. */
export const longestWait = (all: readonly Waits[]): number => Math.max(...all.map(({ max }) => max));

/** Waits a second for a quiet server, then returns the waits without an attack. */
export async function quietWaits(clients: OtherClients): Promise<Waits[]> {
  await delay(1_000);
  await clients.take();
  await delay(2_000);
  return clients.take();
}
