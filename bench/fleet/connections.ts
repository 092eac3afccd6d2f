// Connections of simulated agents: a `fetch` for the SDK that sends as the agent does, over node:http and kept alive.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Agent, type IncomingMessage, request } from 'node:http';
import { built } from '../built.ts';
import type { Program } from '../processes.ts';

const { createClient } = await built('packages/sdk/dist/index.js');

type HttpSend = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['fetch']>;

/** Compressed lines, and the headers that the agent gives them. */
export interface Batch {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sender of one call. */
interface Sender {
  readonly secret: string;
  readonly pool: Agent;
  /** Replaces the body that the SDK would make, as in the agent. */
  readonly batch?: Batch;
}

const sender = new AsyncLocalStorage<Sender>();

/** Calls of `work` are those of this sender. */
export const as = <T>(who: Sender, work: () => Promise<T>): Promise<T> => sender.run(who, work);

/** A pool of connections that all agents share. */
export const sharedPool = (connections: number): Agent => new Agent({ keepAlive: true, maxSockets: connections });

/** Loopback addresses that connections come from: one address has too few ports for a fleet. */
const ADDRESSES = 60;

/** A connection that is the agent's own. The server closes it after some seconds without a request. */
export const ownConnection = (i: number): Agent =>
  new Agent({ keepAlive: true, maxSockets: 1, localAddress: `127.0.1.${1 + (i % ADDRESSES)}` });

async function read(answer: IncomingMessage): Promise<string> {
  let text = '';
  answer.setEncoding('utf8');
  for await (const chunk of answer) text += chunk;
  return text;
}

const send: HttpSend = (url, { method = 'GET', headers, body }) => {
  const { pool, batch } = sender.getStore() as Sender;
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<HttpSend>>>();
  const content = batch?.body ?? (body as string | undefined) ?? '';
  const sent = request(url, {
    method,
    agent: pool,
    headers: { ...headers, ...batch?.headers, 'content-length': Buffer.byteLength(content) },
  });
  sent.once('error', reject);
  sent.once('response', (answer) =>
    read(answer).then((text) => {
      const { statusCode: status = 0, headers: given } = answer;
      const get = (name: string) => given[name.toLowerCase()]?.toString() ?? null;
      const ok = status >= 200 && status < 300;
      resolve({ status, ok, type: 'basic', headers: { get }, body: null, text: async () => text });
    }, reject),
  );
  sent.end(content);
  return promise;
};

/** One client for all agents. Its calls need {@link as}. */
export const fleetClient = ({ url }: Program) =>
  createClient({ url, apiToken: () => sender.getStore()?.secret, fetch: send, userAgent: 'quarterdeck-agent/bench' });

export type FleetClient = ReturnType<typeof fleetClient>;
