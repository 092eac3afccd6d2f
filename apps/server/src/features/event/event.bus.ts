// Tells subscribers of this process what any process has committed. The table is the only source: a signal says "look
// again", so live events and those a subscriber missed take the same way.
import type { EventType } from '@quarterdeck/core';
import type { Database, Tx } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import { eventBounds, eventsAfter, insertEvents, type StoredEvent } from './event.repo.ts';

const READ_BATCH = 500;
/** Events read at once for one subscriber: they are held for as long as that one takes to read them. */
const CATCH_UP_BATCH = 50;
const MISSED = JSON.stringify({ reason: 'missed', of: 'all' });

/** What a subscriber wants. */
export interface Subscription {
  readonly types: ReadonlySet<EventType>;
  /** Called for each event, in order, without gaps. */
  readonly onEvent: (event: StoredEvent) => void;
  /** Whether it has more to take than it should. It is then told nothing live, but reads from the table at its own pace. */
  readonly isBehind: () => boolean;
  /** Waited for before each event that is read from the table; false where nobody listens any more. */
  readonly ready: () => Promise<boolean>;
  /** The table could not be read: there would be a gap. */
  readonly onLost: () => void;
}

/** One who is told what happens as it happens. */
type Live = (event: StoredEvent) => void;

/** Publishes and hands out events. */
export interface EventBus {
  /** Stores events inside a write; subscribers hear of them after its commit. */
  publish(tx: Tx, events: readonly { readonly type: EventType; readonly data: unknown }[]): Promise<void>;
  /**
   * Subscribes from now on, or from after `lastEventId`; where the ring does not reach back so far, `resync` comes first.
   * Resolves with the id that the subscriber is up to date with. `stop` ends it.
   */
  subscribe(
    subscription: Subscription,
    lastEventId: number | undefined,
  ): Promise<{ position: number; stop: () => void }>;
  /** How many subscribers are told live. */
  subscribers(): number;
  close(): void;
}

/** A bus over a database. `now` is in Unix milliseconds. */
export async function createEventBus(db: Database, log: Logger, now: () => number): Promise<EventBus> {
  const live = new Set<Live>();
  let seen = (await eventBounds(db)).newest;
  let again = false;
  let reading = false;

  async function readNew(): Promise<void> {
    again = true;
    if (reading) return;
    reading = true;
    try {
      while (again) {
        again = false;
        const events = await eventsAfter(db, seen, READ_BATCH);
        for (const event of events) {
          seen = event.id;
          for (const tell of live) tell(event);
        }
        if (events.length === READ_BATCH) again = true;
      }
    } catch (error) {
      // The next signal reads from where this one stopped; nothing is skipped.
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

      const tell: Live = (event) => {
        if (event.id <= (last ?? 0)) return;
        if (!subscription.isBehind()) return take(event);
        live.delete(tell);
        catchUp().catch((error: unknown) => {
          log.warn({ err: error }, 'events could not be read');
          subscription.onLost();
        });
      };

      /** Reads the table from where the subscriber is to its end; from there on it is told live. */
      async function catchUp(): Promise<void> {
        for (;;) {
          const told = seen;
          const { oldest, newest } = await eventBounds(db);
          last ??= newest;
          // An id from the future belongs to another database; one before the ring has lost what came in between.
          if (last > newest || last < oldest - 1) take({ id: newest, type: 'resync', data: MISSED });
          const events = await eventsAfter(db, last, CATCH_UP_BATCH);
          for (const event of events) {
            if (stopped || !(await subscription.ready())) return;
            take(event);
          }
          // Nothing was told to the others meanwhile, so nothing is between what was read and what comes.
          if (events.length < CATCH_UP_BATCH && seen === told) break;
        }
        if (!stopped) live.add(tell);
      }

      await catchUp();
      const stop = () => {
        stopped = true;
        live.delete(tell);
      };
      return { position: last ?? 0, stop };
    },
    subscribers: () => live.size,
    close: stopListening,
  };
}
