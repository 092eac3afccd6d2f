// Receivers of webhooks and of the audit log, which note what comes and how often.
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { createClient } from '../../packages/sdk/src/index.ts';
import { newText, TEXT } from './honest-clients.ts';

/** Id of an entry in a message of syslog. */
const ENTRY = /\] \{"id":(\d+),/g;
const ANSWER_MS = 20;
const BEGIN_EVERY_MS = 1_000;

export interface Receivers extends Disposable {
  /** Address for webhooks. */
  readonly url: string;
  /** Address for the audit log. */
  readonly syslogUrl: string;
  /** Text -> ids of its messages, once for each time that it came. */
  readonly messages: ReadonlyMap<string, readonly string[]>;
  /** Number of messages and entries that came when they had come before. */
  repeats(): { readonly messages: number; readonly entries: number };
  /** Number of texts that came under several ids. */
  doubled(): number;
  /** Number of different entries. */
  auditCount(): number;
  /** Number of ids of entries that did not come, between the first and the last. */
  auditGaps(): number;
}

/** Starts the receivers. Of so many messages one is refused. */
export async function startReceivers(refusedOneOf = Number.POSITIVE_INFINITY): Promise<Receivers> {
  const messages = new Map<string, string[]>();
  const sockets = new Set<Socket>();
  const streams: string[] = [];
  let received = 0;
  const web = createHttpServer(async (req, res) => {
    const found = TEXT.exec(await text(req))?.[0];
    if (found !== undefined) messages.set(found, [...(messages.get(found) ?? []), String(req.headers['webhook-id'])]);
    await delay(ANSWER_MS);
    received += 1;
    res.writeHead(received % refusedOneOf === 0 ? 500 : 204).end();
  });
  const syslog = createServer((socket) => {
    sockets.add(socket);
    const at = streams.push('') - 1;
    socket.on('error', () => {});
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      streams[at] += chunk;
    });
  });
  for (const server of [web, syslog]) await once(server.listen(0, '127.0.0.1'), 'listening');
  const portOf = (server: typeof web | typeof syslog) => (server.address() as AddressInfo).port;
  const entries = () => streams.flatMap((stream) => [...stream.matchAll(ENTRY)].map(([, id]) => Number(id)));
  return {
    url: `http://127.0.0.1:${portOf(web)}`,
    syslogUrl: `tcp://127.0.0.1:${portOf(syslog)}`,
    messages,
    repeats() {
      const ids = entries();
      const again = [...messages.values()].reduce((sum, { length }) => sum + length - 1, 0);
      return { messages: again, entries: ids.length - new Set(ids).size };
    },
    doubled: () => [...messages.values()].filter((ids) => new Set(ids).size > 1).length,
    auditCount: () => new Set(entries()).size,
    auditGaps() {
      const ids = [...new Set(entries())];
      return ids.length === 0 ? 0 : Math.max(...ids) - Math.min(...ids) + 1 - ids.length;
    },
    [Symbol.dispose]() {
      web.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      for (const server of [web, syslog]) server.close();
    },
  };
}

/** Creates a channel for changes, and a channel with a rule for new errors. Resolves once the rule works. */
export async function createChannels(
  client: ReturnType<typeof createClient>,
  { url, messages }: Receivers,
): Promise<void> {
  await client.webhook.create({ body: { name: 'types', url: `${url}/types`, types: ['change.created'] } });
  const { id } = await client.webhook.create({ body: { name: 'rule', url: `${url}/rule`, types: [] } });
  await client.alert.create({ body: { name: 'new errors', when: { kind: 'errlog.new' }, channels: [id] } });
  // A rule begins with the round of rules after its creation.
  while (messages.size === 0) {
    await client.errlog.append({ body: { level: 4, log: newText() } });
    await delay(BEGIN_EVERY_MS);
  }
}

/** Waits until each text has come in a message, at most for a time; returns those that have not. */
export async function missingOf(texts: readonly string[], { messages }: Receivers, maxMs: number): Promise<string[]> {
  const giveUpMs = performance.now() + maxMs;
  for (;;) {
    const missing = texts.filter((one) => !messages.has(one));
    if (missing.length === 0 || performance.now() > giveUpMs) return missing;
    await delay(100);
  }
}
