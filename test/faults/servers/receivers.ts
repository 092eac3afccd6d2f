// Receivers of webhooks and of the audit log, which note what comes and how often.
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

const TEXT = /[ghijklmnopqrstuvwxyz]{20}/;
/** Id of an entry in a message of syslog. */
const ENTRY = /\] \{"id":(\d+),/g;
const ANSWER_MS = 20;

/** Running receivers. */
export interface Receivers {
  /** Address for webhooks. */
  readonly url: string;
  /** Address for the audit log. */
  readonly syslogUrl: string;
  /** Text -> ids of its messages, once for each time that it came. */
  readonly messages: ReadonlyMap<string, readonly string[]>;
  /** Number of messages and entries that came when they had come before. */
  repeats(): { readonly messages: number; readonly entries: number };
  /** Number of different entries. */
  auditCount(): number;
  /** Number of ids of entries that did not come, between the first and the last. */
  auditGaps(): number;
  close(): void;
}

/** Starts the receivers. */
export async function startReceivers(): Promise<Receivers> {
  const messages = new Map<string, string[]>();
  const sockets = new Set<Socket>();
  const streams: string[] = [];
  const web = createHttpServer(async (req, res) => {
    const found = TEXT.exec(await text(req))?.[0];
    if (found !== undefined) messages.set(found, [...(messages.get(found) ?? []), String(req.headers['webhook-id'])]);
    await delay(ANSWER_MS);
    res.writeHead(204).end();
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
    auditCount: () => new Set(entries()).size,
    auditGaps() {
      const ids = [...new Set(entries())];
      return ids.length === 0 ? 0 : Math.max(...ids) - Math.min(...ids) + 1 - ids.length;
    },
    close() {
      web.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      for (const server of [web, syslog]) server.close();
    },
  };
}
