// Reads the lines of a filter to the oldest one, page by page.
import type { LineListQuery } from './generated/calls.ts';
import type { Line, LinePage } from './generated/nouns.ts';
import { ROUTES } from './generated/routes.ts';
import type { CallOptions, Transport } from './request/transport.ts';

const PAGE_SIZE = 1_000;
const { list } = ROUTES.line;

/** Filter of {@link Client.lines}: that of the list, without pages. */
export type LineFilter = Omit<LineListQuery, 'limit' | 'before' | 'after'>;

/** Options of {@link Client.lines}. */
export interface LineOptions extends CallOptions {
  /** Lines per request, 1 to 1,000; 1,000 by default. Fewer come sooner. */
  readonly pageSize?: number | undefined;
}

/** See `Client.lines`. */
export async function* readLines(
  transport: Transport,
  filter: LineFilter = {},
  { pageSize = PAGE_SIZE, ...options }: LineOptions = {},
): AsyncGenerator<Line, void, undefined> {
  let before: string | null | undefined;
  while (before !== null) {
    const query = { ...filter, limit: pageSize, ...(before === undefined ? {} : { before }) };
    const page = (await transport.call(list, { query }, options)).data as LinePage;
    yield* page.data;
    before = page.meta.before;
  }
}
