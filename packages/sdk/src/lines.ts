// Reads the lines of a filter to the oldest one, page by page.
import { contract, type Data, type Input, type Line } from '@quarterdeck/core';
import type { CallOptions, Transport } from './transport.ts';

const PAGE_SIZE = 1_000;

type ListLines = (typeof contract)['line']['list'];

/** Filter of {@link Client.lines}: that of the list, without pages. */
export type LineFilter = Omit<NonNullable<Input<ListLines>['query']>, 'limit' | 'before' | 'after'>;

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
    const page = (await transport.call(contract.line.list, { query }, options)).data as Data<ListLines>;
    yield* page.data;
    before = page.meta.before;
  }
}
