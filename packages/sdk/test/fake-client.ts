// Clients of a fake server.
import { createClient } from '../src/client.ts';
import { contract } from '../src/contract.ts';
import type { Fake } from '../src/testing/index.ts';

/** Creates a client that checks every answer and repeats no request. */
export const clientOf = ({ url, fetch }: Pick<Fake, 'url' | 'fetch'>) =>
  createClient({ url, fetch, apiToken: 'any', retries: 0, contract, checkAnswers: true });

/** A clock on which waits before another attempt end at once, and limits never do. */
export const hasty = {
  now: () => 0,
  random: () => 0,
  after(delayMs: number, task: () => void) {
    const timer = delayMs < 5_000 ? setTimeout(task) : undefined;
    return () => clearTimeout(timer);
  },
};

/** Collects what an iteration yields. */
export async function allOf<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
}
