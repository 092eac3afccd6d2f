// Load on a server, of three kinds: requests that wait for the answer before; requests at a fixed rate, whether or not
// earlier ones are answered; and people who use the server meanwhile.
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answered, type Asked, ask, ERRLOG } from './honest-clients.ts';

/** Concurrent requests that use the server fully, without a queue that refuses. */
const CLIENTS = 8;
const OPEN_MAX = 900;
const TICK_MS = 5;
const PATIENCE_MS = 30_000;
/** Milliseconds from one request of a person to the next. */
const PAGE_EVERY_MS = 100;
const SIGN_IN_EVERY_MS = 1_000;

/** A request of one sender. */
export interface Question extends Pick<Asked, 'path' | 'headers' | 'body' | 'localAddress'> {
  readonly sender: number;
}

/** A kind of work; a question for each request. */
export interface Work {
  readonly name: string;
  readonly isSignIn: boolean;
  readonly next: (n: number) => Question;
}

/** An answer, and whose request it was for. */
export interface Result extends Answered {
  readonly sender: number;
}

/** Answers to requests at a fixed rate. */
export interface Flood {
  readonly results: readonly Result[];
  readonly sentPerSecond: number;
  /** Good answers in the time of the flood. */
  readonly inTime: readonly Result[];
  readonly goodPerSecond: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: OPEN_MAX, maxFreeSockets: OPEN_MAX });
/** Closes the connections of this file. */
export const closeConnections = () => agent.destroy();

/** Sends a request over kept connections. */
export async function send(url: string, { sender, ...question }: Question): Promise<Result> {
  return { sender, ...(await ask({ url, ...question, agent, patienceMs: PATIENCE_MS })) };
}

export const isGood = ({ outcome }: Answered) => outcome === 200;

/** Returns the milliseconds within which a share of the answers came. */
export const quantile = (answers: readonly Answered[], share: number) =>
  answers.map(({ ms }) => ms).sort((a, b) => a - b)[Math.floor(answers.length * share)] ?? 0;

/** Measures the good answers a second of few clients, each of which waits for its answer. */
export async function capacityOf(url: string, { next }: Work, seconds: number): Promise<number> {
  let [n, good] = [0, 0];
  const [startedMs, untilMs] = [performance.now(), performance.now() + seconds * 1_000];
  const client = async () => {
    while (performance.now() < untilMs) {
      n += 1;
      if (isGood(await send(url, next(n)))) good += 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return (1_000 * good) / (performance.now() - startedMs);
}

/** Sends requests at a rate, whether or not the earlier ones are answered, as far as there are connections. */
export async function flood(url: string, { next }: Work, perSecond: number, seconds: number): Promise<Flood> {
  const results: Result[] = [];
  const open = new Set<Promise<unknown>>();
  const startedMs = performance.now();
  const untilMs = startedMs + seconds * 1_000;
  let sent = 0;
  while (performance.now() < untilMs) {
    const due = ((performance.now() - startedMs) / 1_000) * perSecond;
    for (; sent < due && open.size < OPEN_MAX; sent += 1) {
      const asked = send(url, next(sent)).then((result) => {
        results.push(result);
        open.delete(asked);
      });
      open.add(asked);
    }
    await delay(TICK_MS);
  }
  // Later answers are part of the waits, and not of the rate.
  const inTime = results.filter(isGood);
  const tookS = (performance.now() - startedMs) / 1_000;
  await Promise.all(open);
  return { results, inTime, sentPerSecond: sent / tookS, goodPerSecond: inTime.length / tookS };
}

/** Requests of people beside the load. */
export interface People {
  /** Stops and returns the answers. */
  stop(): Promise<{ readonly pages: readonly Answered[]; readonly signIns: readonly Answered[] }>;
}

/** Starts a person who reads the first page of the error logs, and one who signs in. */
export function startPeople(url: string, session: string, username: string, password: string): People {
  const kept = new Agent({ keepAlive: true });
  const stopped = new AbortController();
  const repeat = async (everyMs: number, question: Omit<Asked, 'url' | 'patienceMs'>) => {
    const open: Promise<Answered>[] = [];
    while (!stopped.signal.aborted) {
      open.push(ask({ url, patienceMs: PATIENCE_MS, agent: kept, ...question }));
      await delay(everyMs, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
    return Promise.all(open);
  };
  const pages = repeat(PAGE_EVERY_MS, {
    path: `${ERRLOG}?page=1`,
    headers: { 'edge-token': session },
    localAddress: '127.0.7.1',
  });
  const signIns = repeat(SIGN_IN_EVERY_MS, {
    path: '/admin-api/user/login',
    body: { username, password },
    localAddress: '127.0.7.2',
  });
  return {
    async stop() {
      stopped.abort();
      const answers = { pages: await pages, signIns: await signIns };
      kept.destroy();
      return answers;
    },
  };
}
