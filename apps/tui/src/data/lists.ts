// The lists that are read whole, as plain functions: for the screens that keep them, and for reading ahead.
import type { Page } from '@quarterdeck/core';
import type { ApiToken, Client } from '@quarterdeck/sdk';

/** Tokens read at once. */
const TOKENS_MAX = 1_000;

/** The API tokens. */
export const readTokens = (client: Client, signal?: AbortSignal): Promise<Page<ApiToken>> =>
  client.apiToken.list({ query: { page_size: TOKENS_MAX, detail: 1 } }, { signal });
