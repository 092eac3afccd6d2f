// Requests for lists as plain functions, for screens and for reading ahead.
import type { ApiToken, Client, Page } from '@quarterdeck/sdk';

/** Rows of the first read of a list. Most lists are shorter. */
export const ROWS_MAX = 1_000;

/** A range of rows as the lists take it. */
export interface RowRange {
  readonly start: number;
  readonly end: number;
}

const FIRST: RowRange = { start: 0, end: ROWS_MAX };

/** Reads API tokens: the first ones, or a range. */
export const readTokens = (client: Client, range: RowRange = FIRST, signal?: AbortSignal): Promise<Page<ApiToken>> =>
  client.apiToken.list({ query: { ...range, detail: 1 } }, { signal });

/** Reads a range of a list. */
export type ReadRange<T> = (client: Client, query: RowRange, signal: AbortSignal) => Promise<Page<T>>;
