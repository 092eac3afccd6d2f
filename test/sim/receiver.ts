// The receiver of messages: it refuses some, and checks the order in which they come.

import type {
  Outcome,
  StoredMessage,
  Transports,
} from '../../apps/server/src/features/webhook/transports/transport.ts';
import { statement } from '../../packages/core/src/db/open/index.ts';
import type { Network } from './network.ts';
import type { SimProcess } from './platform.ts';
import type { Random } from './random.ts';
import type { SimServer } from './server.ts';

const ATTEMPT_MS = 20_000;
const PROCESS: SimProcess = { name: 'receiver', isAlive: true, clockAheadMs: 0 };

const STATE = statement(
  `SELECT d.state, (SELECT min(id) FROM webhook_delivery WHERE webhook_id = d.webhook_id AND state = 'waiting') = d.id
     AS "isFirst" FROM webhook_delivery d WHERE d.message_id = ?`,
);

/** A message that came, without repetitions. */
export interface Received {
  readonly channel: number;
  readonly id: string;
  readonly type: string;
  readonly body: string;
}

/** Parts of the world that the receiver needs. */
export interface ReceiverWorld {
  readonly network: Network;
  readonly random: Random;
  readonly server: () => { readonly process: SimProcess; readonly server: SimServer } | undefined;
  readonly onBroken: (promise: string) => void;
  readonly note: (event: string) => void;
}

/** See the head of this file. */
export class Receiver {
  readonly #world: ReceiverWorld;
  /** By id, in the order in which they came. */
  readonly messages = new Map<string, Received>();

  constructor(world: ReceiverWorld) {
    this.#world = world;
  }

  /** Ways of a server to send messages here. */
  transports(from: SimProcess): Transports {
    return {
      hasEmail: false,
      refusalOf: async () => undefined,
      close: () => undefined,
      send: async (channel, message) => {
        await this.#check(message.messageId, from);
        const handle = () => this.#take(channel.id, message);
        return this.#world.network
          .call({ from, to: () => PROCESS, handle, timeoutMs: ATTEMPT_MS })
          .catch((): Outcome => ({ ok: false, status: null, error: 'cut' }));
      },
    };
  }

  async #take(channel: number, message: StoredMessage): Promise<Outcome> {
    const { random, network, note } = this.#world;
    const { messageId: id, type, body, attempt } = message;
    note(`message ${type} ${id}, attempt ${attempt}`);
    if (!network.isCalm && random.chance(0.15)) return { ok: false, status: 503, error: 'unavailable' };
    if (!network.isCalm && random.chance(0.05)) {
      return { ok: false, status: 429, error: 'slower', retryAfterMs: 1_000 * random.upTo(20) };
    }
    if (!this.messages.has(id)) this.messages.set(id, { channel, id, type, body });
    return { ok: true, status: 200 };
  }

  /** Compares a message that is sent with what the server has stored. */
  async #check(id: string, from: SimProcess): Promise<void> {
    const { server, onBroken } = this.#world;
    const running = server();
    if (running === undefined || running.process !== from) return;
    const { sql } = running.server.db.read;
    const row = await sql.get<{ state: string; isFirst: number }>(STATE, id);
    if (row === undefined) onBroken(`a message that is sent was stored: ${id}`);
    else if (row.state === 'delivered') onBroken(`a message that was delivered is not sent again: ${id}`);
    else if (row.state === 'waiting' && row.isFirst !== 1) onBroken(`messages of a channel are sent in order: ${id}`);
  }
}
