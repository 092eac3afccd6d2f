// The lists that are read whole, as plain functions: for the screens that keep them, and for reading ahead.
import type { ApiToken, Client } from '@quarterdeck/sdk';

/** Tokens read at once. */
const TOKENS_MAX = 1_000;

/** The tokens that were read, and how many there are. */
export interface Tokens {
  readonly rows: readonly ApiToken[];
  readonly total: number;
}

/** The API tokens. */
export async function readTokens(client: Client, signal?: AbortSignal): Promise<Tokens> {
  const { data, meta } = await client.apiToken.list({ query: { page_size: TOKENS_MAX, detail: 1 } }, { signal });
  return { rows: data, total: meta.count };
}
