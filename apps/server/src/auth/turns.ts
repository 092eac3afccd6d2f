// One at a time, per key: sign-ins to one account from one place take turns, so that many right ones at once are
// answered one after the other instead of using up a budget that is meant for wrong ones.
import { AppError } from '@quarterdeck/core';

/** More than this waiting for one key are refused. */
const WAITING_MAX = 32;

/** Runs work when it is its key's turn. Rejects with `overloaded` where too many are waiting. */
export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Turns of this process. */
export function createTurns(): InTurn {
  const queues = new Map<string, { waiting: number; last: Promise<unknown> }>();

  return async (key, work) => {
    const queue = queues.get(key) ?? { waiting: 0, last: Promise.resolve() };
    if (queue.waiting >= WAITING_MAX) throw new AppError('overloaded');
    queue.waiting += 1;
    queues.set(key, queue);
    const mine = queue.last.then(work, work);
    queue.last = mine;
    try {
      return await mine;
    } finally {
      queue.waiting -= 1;
      if (queue.waiting === 0) queues.delete(key);
    }
  };
}
