// Much to do without keeping others waiting.
import { setImmediate } from 'node:timers/promises';

/** Items between two looks at the event loop: a few milliseconds. */
const SLICE = 4_000;

/** Does something with each item; what else there is to do has its turn in between. */
export async function inTurns<T>(items: readonly T[], work: (item: T) => void): Promise<void> {
  for (let at = 0; at < items.length; at += SLICE) {
    if (at > 0) await setImmediate();
    for (const item of items.slice(at, at + SLICE)) work(item);
  }
}
