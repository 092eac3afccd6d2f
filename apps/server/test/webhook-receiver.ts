// A receiver of webhooks on loopback, whose answers tests decide.
import { EventEmitter, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Transports } from '../src/features/webhook/transports/transport.ts';
import { type Answer, NO_TRANSPORTS } from './start-api.ts';

/** A message as it came. */
export interface Received {
  readonly path: string;
  readonly messageId: string;
  readonly body: Answer;
}

export interface Receiver extends AsyncDisposable {
  /** URL of a path, one for each channel. */
  url(path?: string): string;
  /** Everything that came, in order. */
  readonly received: readonly Received[];
  /** Messages of a path. */
  on(path: string): Received[];
  /** Sets the answer: a status, or none at all. */
  answer: (received: Received) => number | undefined | { status: number; headers: Record<string, string> };
  /** Resolves once so many messages have come. */
  until(count: number): Promise<void>;
}

/** Starts a receiver that answers 204. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const arrivals = new EventEmitter();
  const open = new Set<ServerResponse>();
  const server = createServer(async (req, res) => {
    open.add(res.once('close', () => open.delete(res)));
    const body = JSON.parse(await text(req));
    const message = { path: req.url ?? '', messageId: String(req.headers['webhook-id']), body };
    received.push(message);
    arrivals.emit('message');
    const answer = receiver.answer(message);
    if (answer === undefined) return;
    const { status, headers } = typeof answer === 'number' ? { status: answer, headers: {} } : answer;
    res.writeHead(status, headers).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: Receiver = {
    url: (path = '/') => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    received,
    on: (path) => received.filter((message) => message.path === path),
    answer: () => 204,
    async until(count) {
      while (received.length < count) await once(arrivals, 'message');
    },
    async [Symbol.asyncDispose]() {
      for (const res of open) res.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

/** Sends to receivers, without a check of their addresses. */
export const TO_RECEIVER: Transports = {
  ...NO_TRANSPORTS,
  async send({ url }, { messageId, body }, signal) {
    try {
      const response = await fetch(url, { method: 'POST', body, headers: { 'webhook-id': messageId }, signal });
      const { status, ok, headers } = response;
      await response.arrayBuffer();
      const retryAfterMs = Number(headers.get('retry-after') ?? 0) * 1000;
      return ok ? { ok, status } : { ok: false, status, error: `The receiver answers ${status}.`, retryAfterMs };
    } catch (error) {
      return { ok: false, status: null, error: String(error) };
    }
  },
};
