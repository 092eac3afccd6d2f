// Tells subscribers of this process what any process has committed. The table is the only source: a signal says "look
// again", so live events and those a subscriber missed take the same way.
import type { EventType } from '@quarterdeck/core';
import type { Database, Door } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import { eventBounds, eventsAfter, insertEvents, type StoredEvent } from './event.repo.ts';

const READ_BATCH = 500;
const MISSED = JSON.stringify({ reason: 'missed', of: 'all' });

/** What a subscriber wants. */
export interface Subscription {
  readonly types: ReadonlySet<EventType>;
  /** Called for each event, in order, without gaps. */
  readonly onEvent: (event: StoredEvent) => void;
  /** Waited for before each event of the past, so that it is read no faster than it is taken; false ends the reading. */
  readonly ready: () => Promise<boolean>;
}

/** Publishes and hands out events. */
export interface EventBus {
  /** Stores events inside a write; subscribers hear of them after its commit. */
  publish(tx: Door, events: readonly { readonly type: EventType; readonly data: unknown }[]): Promise<void>;
  /**
   * Subscribes from now on, or from after `lastEventId`; where the ring does not reach back so far, `resync` comes first.
   * Resolves with the id that the subscriber is up to date with. `stop` ends it.
   */
  subscribe(
    subscription: Subscription,
    lastEventId: number | undefined,
  ): Promise<{ position: number; stop: () => void }>;
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
      let last = lastEventId;
      for (;;) {
        const told = seen;
        const { oldest, newest } = await eventBounds(db);
        last ??= newest;
        // An id from the future belongs to another database; one before the ring has lost what came in between.
        if (last > newest || last < oldest - 1) {
          last = newest;
          subscription.onEvent({ id: last, type: 'resync', data: MISSED });
        }
        const events = await eventsAfter(db, last, READ_BATCH);
        for (const event of events) {
          if (!(await subscription.ready())) return { position: last, stop: () => undefined };
          last = event.id;
          tell(subscription, event);
        }
        // Nothing was told to the others meanwhile, so nothing is between what was read and what comes.
        if (events.length < READ_BATCH && seen === told) break;
      }
      const position = last;
      const own: Subscription = {
        ...subscription,
        onEvent: (event) => event.id > position && subscription.onEvent(event),
      };
      subscribers.add(own);
      return { position, stop: () => subscribers.delete(own) };
    },
    close: stopListening,
  };
}
