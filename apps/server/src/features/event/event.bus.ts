// Delivers events that any process has committed to the subscribers of this process. The table is the only source: a
// signal only says that there is more, so live and missed events take the same way.
import type { EventType } from '@quarterdeck/core';
import type { Database, Tx } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import { eventBounds, eventsAfter, insertEvents, type StoredEvent } from './event.repo.ts';

const READ_BATCH = 500;
/** Events read at once for one subscriber. They stay in memory until that subscriber has taken them. */
const CATCH_UP_BATCH = 50;
const MISSED = JSON.stringify({ reason: 'missed', of: 'all' });

export interface Subscription {
  readonly types: ReadonlySet<EventType>;
  /** Awaited with events that have just been read, before they are delivered. */
  readonly prepare?: ((events: readonly StoredEvent[]) => Promise<void>) | undefined;
  /** Called for each event, in order, without gaps. */
  readonly onEvent: (event: StoredEvent) => void;
  /** True where the subscriber is too slow. It then reads from the table at its own pace instead of live. */
  readonly isBehind: () => boolean;
  /** Awaited before each event from the table; false where the client has gone. */
  readonly ready: () => Promise<boolean>;
  /** Called where the table could not be read, which would leave a gap. */
  readonly onLost: () => void;
}

/** Receives live events. */
interface Receiver {
  readonly prepare: (events: readonly StoredEvent[]) => Promise<void>;
  readonly deliver: (event: StoredEvent) => void;
}

/** Publishes and delivers events. */
export interface EventBus {
  /** Stores events inside a write; subscribers receive them after its commit. */
  publish(tx: Tx, events: readonly { readonly type: EventType; readonly data: unknown }[]): Promise<void>;
  /**
   * Subscribes to events from now on, or after `lastEventId`. Where the ring does not reach back so far, `resync` comes
   * first. Resolves with the id up to which the subscriber has all events. `stop` ends the subscription.
   */
  subscribe(
    subscription: Subscription,
    lastEventId: number | undefined,
  ): Promise<{ position: number; stop: () => void }>;
  /** Number of subscribers that receive live events. */
  subscribers(): number;
  close(): void;
}

/** Creates a bus over a database. `now` is in Unix milliseconds. */
export async function createEventBus(db: Database, log: Logger, now: () => number): Promise<EventBus> {
  const live = new Set<Receiver>();
  let seen = (await eventBounds(db)).newest;
  let again = false;
  let reading = false;

  /** Prepares all subscribers, also those that come meanwhile. */
  async function prepareAll(events: readonly StoredEvent[]): Promise<void> {
    if (events.length === 0) return;
    const prepared = new Set<Receiver>();
    for (let left = [...live]; left.length > 0; left = [...live].filter((one) => !prepared.has(one))) {
      await Promise.all(left.map((one) => one.prepare(events)));
      for (const one of left) prepared.add(one);
    }
  }

  async function readNew(): Promise<void> {
    again = true;
    if (reading) return;
    reading = true;
    try {
      while (again) {
        again = false;
        const events = await eventsAfter(db, seen, READ_BATCH);
        await prepareAll(events);
        for (const event of events) {
          seen = event.id;
          for (const receiver of live) receiver.deliver(event);
        }
        if (events.length === READ_BATCH) again = true;
      }
    } catch (error) {
      // The next signal reads from here on, so no event is skipped.
      log.warn({ err: error }, 'events could not be read');
    } finally {
      reading = false;
    }
  }

  const stopListening = db.onSignal(() => void readNew());

  return {
    publish: (tx, events) => insertEvents(tx, events, now()),
    async subscribe(subscription, lastEventId) {
      let last = lastEventId;
      let stopped = false;

      const take = (event: StoredEvent) => {
        last = event.id;
        if (subscription.types.has(event.type) || event.type === 'resync') subscription.onEvent(event);
      };

      const receiver: Receiver = {
        prepare: async (events) => subscription.prepare?.(events),
        deliver(event) {
          if (event.id <= (last ?? 0)) return;
          if (!subscription.isBehind()) return take(event);
          live.delete(receiver);
          catchUp().catch((error: unknown) => {
            log.warn({ err: error }, 'events could not be read');
            subscription.onLost();
          });
        },
      };

      /** Reads the table to its end; from there on the subscriber receives live events. */
      async function catchUp(): Promise<void> {
        for (;;) {
          const seenBefore = seen;
          const { oldest, newest } = await eventBounds(db);
          last ??= newest;
          // A future id belongs to another database; after an id before the ring, events were lost.
          if (last > newest || last < oldest - 1) take({ id: newest, type: 'resync', data: MISSED });
          const events = await eventsAfter(db, last, CATCH_UP_BATCH);
          if (events.length > 0) await receiver.prepare(events);
          for (const event of events) {
            if (stopped || !(await subscription.ready())) return;
            take(event);
          }
          // No live event was delivered meanwhile, so there is no gap between the table and the live events.
          if (events.length < CATCH_UP_BATCH && seen === seenBefore) break;
        }
        if (!stopped) live.add(receiver);
      }

      await catchUp();
      const stop = () => {
        stopped = true;
        live.delete(receiver);
      };
      return { position: last ?? 0, stop };
    },
    subscribers: () => live.size,
    close: stopListening,
  };
}
