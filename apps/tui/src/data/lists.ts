// Requests for whole lists as plain functions, for screens and for reading ahead.
import type { ApiToken, Client } from '@quarterdeck/sdk';

/** Page size of tokens. */
const TOKENS_MAX = 1_000;

/** The loaded tokens, and the total. */
export interface Tokens {
  readonly rows: readonly ApiToken[];
  readonly total: number;
}

/** Reads the API tokens. */
export async function readTokens(client: Client, signal?: AbortSignal): Promise<Tokens> {
  const { data, meta } = await client.apiToken.list({ query: { page_size: TOKENS_MAX, detail: 1 } }, { signal });
  return { rows: data, total: meta.count };
}
