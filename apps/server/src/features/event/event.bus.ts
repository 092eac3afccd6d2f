// Tells subscribers of this process what any process has committed. The table is the only source: a signal says "look
// again", so live events and those a subscriber missed take the same way.
import { EVENT_TYPES, type EventType } from '@quarterdeck/core';
import type { Database, Door } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import { eventBounds, eventsAfter, insertEvents, type StoredEvent } from './event.repo.ts';

const READ_BATCH = 500;
/** Events that may wait for one slow subscriber before it is cut off. */
const BACKLOG_MAX = 1_000;

/** What a subscriber wants. */
export interface Subscription {
  readonly types: ReadonlySet<EventType>;
  /** Called for each event, in order, without gaps. */
  readonly onEvent: (event: StoredEvent) => void;
}

/** Publishes and hands out events. */
export interface EventBus {
  /** Stores events inside a write; subscribers hear of them after its commit. */
  publish(tx: Door, events: readonly { readonly type: EventType; readonly data: unknown }[]): Promise<void>;
  /**
   * Subscribes from now on, or from after `lastEventId` where the ring still reaches back so far. Resolves with whether
   * anything was missed, and the id that the subscriber is up to date with. `stop` ends it.
   */
  subscribe(
    subscription: Subscription,
    lastEventId: number | undefined,
  ): Promise<{ missed: boolean; position: number; stop: () => void }>;
  close(): void;
}

/** A bus over a database. `now` is in Unix milliseconds. */
export async function createEventBus(db: Database, log: Logger, now: () => number): Promise<EventBus> {
  const subscribers = new Set<Subscription>();
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
          for (const subscriber of subscribers) tell(subscriber, event);
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

  function tell(subscriber: Subscription, event: StoredEvent): void {
    if (subscriber.types.has(event.type) || event.type === 'resync') subscriber.onEvent(event);
  }

  const stopListening = db.onSignal(() => void readNew());

  return {
    publish: (tx, events) => insertEvents(tx, events, now()),
    async subscribe(subscription, lastEventId) {
      const bounds = await eventBounds(db);
      const from = lastEventId ?? bounds.newest;
      // An id from the future belongs to another database; one before the ring has lost what came in between.
      const missed = from > bounds.newest || (lastEventId !== undefined && from < bounds.oldest - 1);
      const waiting: StoredEvent[] = [];
      const live: Subscription = { types: new Set(EVENT_TYPES), onEvent: (event) => waiting.push(event) };
      subscribers.add(live);
      let last = missed ? bounds.newest : from;
      try {
        for (;;) {
          const events = await eventsAfter(db, last, BACKLOG_MAX);
          for (const event of events) {
            last = event.id;
            tell(subscription, event);
          }
          if (events.length < BACKLOG_MAX) break;
        }
      } finally {
        subscribers.delete(live);
      }
      // No await from here on: what came in while the past was read, then everything as it comes.
      for (const event of waiting) {
        if (event.id > last) {
          last = event.id;
          tell(subscription, event);
        }
      }
      const own: Subscription = {
        types: subscription.types,
        onEvent: (event) => event.id > last && subscription.onEvent(event),
      };
      subscribers.add(own);
      return { missed, position: last, stop: () => subscribers.delete(own) };
    },
    close: stopListening,
  };
}
