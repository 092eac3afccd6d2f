// Calls that go on until a server answers: servers are killed meanwhile.
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient, isApiError } from '../../../packages/sdk/src/index.ts';

const AGAIN_MS = 150;
const CALL_MS = 10_000;

/** Clients of one credential, one for each server. */
export type Clients = readonly Client[];

/** Creates a client for each server. */
export const clientsOf = (urls: readonly string[], apiToken: string): Clients =>
  urls.map((url) => createClient({ url, apiToken, retries: 0, timeoutMs: CALL_MS }));

let turn = 0;

/** Returns the next of some servers: with two of them, each gets half of the requests. */
export function nextOf<T>(all: readonly T[]): T {
  turn += 1;
  return all[turn % all.length] as T;
}

/** Calls one server after the other until one answers. An answer that refuses the call is thrown. */
export async function untilAnswered<T>(clients: Clients, call: (client: Client) => PromiseLike<T>): Promise<T> {
  for (;;) {
    try {
      return await call(nextOf(clients));
    } catch (error) {
      if (isApiError(error) && error.status < 500 && error.status !== 429) throw error;
    }
    await delay(AGAIN_MS);
  }
}
