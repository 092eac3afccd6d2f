// A receiver of Standard Webhooks that verifies every signature, is away at times, and fails at random.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Parts of the attempts that get 500, and that are taken without an answer. */
const REFUSED = 0.1;
const UNANSWERED = 0.05;

interface Verifier {
  verify(body: string, headers: Record<string, string>): unknown;
}

const serverPackage = new URL('../../../apps/server/package.json', import.meta.url);
const { Webhook } = createRequire(serverPackage)('standardwebhooks') as { Webhook: new (secret: string) => Verifier };

/** A message as it came first. */
export interface NotedMessage {
  readonly id: string;
  readonly body: string;
  /** Attempts that brought it. */
  attempts: number;
}

export interface NightReceiver {
  readonly name: string;
  readonly url: string;
  /** Secret of its channel; without it nothing is accepted. */
  secret: string;
  isAway: boolean;
  /** It answers every attempt with 204. */
  isCalm: boolean;
  /** Messages by id, in the order of their first attempt that it read. */
  readonly messages: ReadonlyMap<string, NotedMessage>;
  /** Broken guarantees: wrong signatures, bodies that differ. */
  readonly faults: string[];
  close(): void;
}

/** Starts a receiver. `now` is the clock of the server that signs. */
export async function startReceiver(name: string, now: () => number): Promise<NightReceiver> {
  const messages = new Map<string, NotedMessage>();

  /** The package compares the time of a message with the clock of this process. */
  function verify(body: string, headers: Record<string, string>): void {
    const realNow = Date.now;
    const nowMs = now();
    Date.now = () => nowMs;
    try {
      new Webhook(receiver.secret).verify(body, headers);
    } finally {
      Date.now = realNow;
    }
  }

  function note(id: string, body: string): void {
    const known = messages.get(id);
    if (known === undefined) messages.set(id, { id, body, attempts: 1 });
    else {
      known.attempts += 1;
      if (known.body !== body) receiver.faults.push(`${name}: ${id} came with another body`);
    }
  }

  const server = createServer(async (req, res) => {
    const body = await text(req).catch(() => undefined);
    if (body === undefined || receiver.isAway) return res.destroy();
    const id = String(req.headers['webhook-id']);
    try {
      verify(body, req.headers as Record<string, string>);
    } catch (error) {
      receiver.faults.push(`${name}: ${id} has a wrong signature: ${String(error)}`);
    }
    note(id, body);
    const chance = receiver.isCalm ? 1 : Math.random();
    if (chance < UNANSWERED) return res.destroy();
    return res.writeHead(chance < UNANSWERED + REFUSED ? 500 : 204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: NightReceiver = {
    name,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`,
    secret: '',
    isAway: false,
    isCalm: false,
    messages,
    faults: [],
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return receiver;
}
