// Clients that write, read and sign in all the time, and note each answer. At the end the stored counts are compared
// with the acknowledged ones.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answered, ask, call, ERRLOG, keptConnections, newText, signIn } from '../honest-clients.ts';

const PATIENCE_MS = 30_000;

export type What = 'write' | 'read' | 'health' | 'ready' | 'sign-in';

export interface Noted extends Answered {
  readonly what: What;
  /** Milliseconds of `performance.now()` at which it was sent. */
  readonly atMs: number;
}

/** A server that is asked, and its administrator. */
export interface Asked {
  readonly url: string;
  readonly password: string;
}

export interface SteadyLoad {
  /** All answers so far. */
  readonly answers: readonly Noted[];
  /** Lines that were acknowledged, and lines of batches that were not. */
  counts(): { acknowledged: number; open: number };
  stop(): Promise<void>;
  /** Lines that the server has stored of those that were sent. */
  stored(): Promise<number>;
  /** Occurrences of all groups of the server. */
  total(): Promise<number>;
}

export interface LoadOptions {
  readonly writers: number;
  readonly pauseMs: number;
  /** Each batch has an `Idempotency-Key` and is sent until it is acknowledged. */
  readonly isRepeated?: boolean;
}

/** Starts senders of small batches and as many readers, two probes, and a client that signs in. */
export async function startLoad({ url, password }: Asked, options: LoadOptions): Promise<SteadyLoad> {
  const { writers, pauseMs, isRepeated = false } = options;
  const headers = { 'edge-token': await signIn(url, 'admin', password) };
  const answers: Noted[] = [];
  const texts = Array.from({ length: writers }, newText);
  let [acknowledged, open, stopped] = [0, 0, false];

  const repeat = async (what: What, everyMs: number, path: string, bodyOf?: () => unknown, size = 0) => {
    const agent = keptConnections();
    const isKeyed = what === 'write' && isRepeated;
    let key = randomUUID();
    for (let isOpen = false; !stopped || (isKeyed && isOpen); ) {
      const atMs = performance.now();
      const body = bodyOf?.();
      const sent = what === 'sign-in' ? {} : { ...headers, ...(isKeyed ? { 'Idempotency-Key': key } : {}) };
      const answer = await ask({ url, path, headers: sent, body, agent, patienceMs: PATIENCE_MS });
      answers.push({ ...answer, what, atMs });
      isOpen = answer.outcome !== 200;
      if (!isOpen) key = randomUUID();
      if (what === 'write' && answer.outcome === 200) acknowledged += size;
      // A refused connection has carried no batch.
      if (what === 'write' && !isKeyed && typeof answer.outcome === 'string' && answer.outcome !== 'ECONNREFUSED') {
        open += size;
      }
      await delay(everyMs);
    }
    agent.destroy();
  };
  const lines = (text: string) => Array.from({ length: 5 }, (_, n) => ({ level: 4, log: `${text} after ${n} ms` }));
  const clients = [
    ...texts.map((text) => repeat('write', pauseMs, ERRLOG, () => lines(text), 5)),
    ...texts.map(() => repeat('read', pauseMs, `${ERRLOG}?page_size=20`)),
    repeat('health', 20, '/healthz'),
    repeat('ready', 100, '/readyz'),
    repeat('sign-in', 500, '/admin-api/user/login', () => ({ username: 'admin', password })),
  ];
  const sumOf = async (query: string) => {
    const { data } = await call<{ data: { count: number }[] }>({ url, path: `${ERRLOG}?${query}`, headers });
    return data.reduce((sum, { count }) => sum + count, 0);
  };
  return {
    answers,
    counts: () => ({ acknowledged, open }),
    async stop() {
      stopped = true;
      await Promise.all(clients);
    },
    async stored() {
      let sum = 0;
      for (const text of texts) sum += await sumOf(`q=${text}`);
      return sum;
    },
    total: () => sumOf('page_size=10000'),
  };
}

/** Summary of answers: how many of each outcome, and the longest wait. */
export function summary(answers: readonly Noted[]): string {
  const outcomes = new Map<string, number>();
  for (const { outcome } of answers) outcomes.set(String(outcome), (outcomes.get(String(outcome)) ?? 0) + 1);
  const counts = [...outcomes].map(([outcome, n]) => `${n} x ${outcome}`).join(', ');
  return `${counts}; longest wait ${longest(answers).toFixed(0)} ms`;
}

export const longest = (answers: readonly Noted[]) => Math.max(0, ...answers.map(({ ms }) => ms));
export const onlyOf = (answers: readonly Noted[], outcomes: readonly (number | string)[]) =>
  answers.every(({ outcome }) => outcomes.includes(outcome));

/** Answers of some kinds to requests that were sent within a span. */
export const within = (answers: readonly Noted[], kinds: readonly What[], fromMs: number, toMs: number) =>
  answers.filter(({ what, atMs }) => kinds.includes(what) && atMs >= fromMs && atMs < toMs);

/** Answers of some kinds to requests that were under way at any moment of a span, also those sent before it. */
export const during = (answers: readonly Noted[], kinds: readonly What[], fromMs: number, toMs: number) =>
  answers.filter(({ what, atMs, ms }) => kinds.includes(what) && atMs + ms >= fromMs && atMs < toMs);

/** True where the stored lines are all acknowledged ones, and at most those without an answer besides. */
export async function isComplete(load: SteadyLoad): Promise<readonly [kept: boolean, text: string]> {
  const { acknowledged, open } = load.counts();
  const stored = await load.stored();
  const text = `acknowledged ${acknowledged}, stored ${stored}, without an answer ${open}`;
  return [stored >= acknowledged && stored <= acknowledged + open, text];
}
