import type { Tx } from '@quarterdeck/core/db';
import { EventLoopYield } from '@quarterdeck/core/threads';
import type { Round } from './kind.ts';

/** Creates the context of one evaluation. */
export function createRound(read: Tx, nowMs: number, stopped: () => boolean): Round {
  const reads = new Map<string, Promise<unknown>>();
  return {
    read,
    nowMs,
    eventLoop: new EventLoopYield(),
    stopped,
    once<T>(key: string, run: () => Promise<T>): Promise<T> {
      const known = reads.get(key) ?? run();
      reads.set(key, known);
      return known as Promise<T>;
    },
  };
}
