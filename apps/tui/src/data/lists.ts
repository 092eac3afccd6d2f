// Requests for whole lists as plain functions, for screens and for reading ahead.
import type { Page } from '@quarterdeck/core';
import type { ApiToken, Client } from '@quarterdeck/sdk';

/** Page size of tokens. */
const TOKENS_MAX = 1_000;

/** Reads the API tokens. */
export const readTokens = (client: Client, signal?: AbortSignal): Promise<Page<ApiToken>> =>
  client.apiToken.list({ query: { page_size: TOKENS_MAX, detail: 1 } }, { signal });
