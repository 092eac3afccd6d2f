// A subscriber for tests: reads the event stream in the background and returns its events.
import type { QuarterdeckEvent } from '@quarterdeck/core';
import type { Client, EventOptions } from '@quarterdeck/sdk';

/** One event; the test knows the type of its data. */
// biome-ignore lint/suspicious/noExplicitAny: tests look at data of every type
export type Heard = { readonly id: string; readonly type: QuarterdeckEvent['type']; readonly data: any };

/** A stream that is being read. */
export interface Listening extends AsyncDisposable {
  /** All events so far, in order. */
  readonly events: readonly Heard[];
  /** Returns the first matching event, past or future. */
  first(fits: (event: Heard) => boolean): Promise<Heard>;
  /** Waits for a matching event and returns all events up to it. */
  until(fits: (event: Heard) => boolean): Promise<readonly Heard[]>;
}

/** Shorter than the limit of a test, to say which event is missing. */
const PATIENCE_MS = 50_000;

/** Subscribes; resolves once the server has begun to answer. */
export async function listenEvents(client: Client, options: EventOptions = {}): Promise<Listening> {
  const events: Heard[] = [];
  const waiting = new Set<() => void>();
  const done = new AbortController();
  const opened = Promise.withResolvers<void>();
  const read = async () => {
    const stream = client.events({
      ...options,
      signal: done.signal,
      onStatus: (status) => status === 'open' && opened.resolve(),
    });
    for await (const event of stream) {
      events.push(event);
      for (const look of waiting) look();
    }
  };
  const reading = read().catch((error: unknown) => opened.reject(error));
  await opened.promise;

  const first = (fits: (event: Heard) => boolean): Promise<Heard> =>
    new Promise((resolve, reject) => {
      const end = (outcome: () => void) => {
        waiting.delete(look);
        clearTimeout(timer);
        outcome();
      };
      const timer = setTimeout(
        () => end(() => reject(new Error(`not heard; heard: ${events.map(({ type }) => type).join(', ')}`))),
        PATIENCE_MS,
      );
      let looked = 0;
      const look = () => {
        for (; looked < events.length; looked += 1) {
          const event = events[looked];
          if (event !== undefined && fits(event)) return end(() => resolve(event));
        }
      };
      waiting.add(look);
      look();
    });

  return {
    events,
    first,
    until: async (fits) => events.slice(0, events.indexOf(await first(fits)) + 1),
    async [Symbol.asyncDispose]() {
      done.abort();
      await reading;
    },
  };
}
