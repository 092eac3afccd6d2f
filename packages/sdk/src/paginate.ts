// Reads a list to its end, page by page. The requests themselves are in read-pages.ts.

import type { Page } from './generated/nouns.ts';
import { PAGING, type PagingKey, type ReadPage, readPages, strange } from './read-pages.ts';
import type { ListCall } from './request/call.ts';
import type { Route } from './request/route.ts';
import type { CallOptions } from './request/transport.ts';

const PAGE_SIZE = 100;
/** Rows of the largest page of the server. */
const PAGE_SIZE_MAX = 10_000;

/** One row of a list. */
export type Row<P> = P extends Page<infer R> ? R : never;

type QueryOf<I> = I extends { query?: infer Q } ? Omit<NonNullable<Q>, PagingKey> : never;

/** Input of a list without its paging, which callers do not set. */
export type ListInput<I> = Omit<I, 'query'> & { readonly query?: QueryOf<I> | undefined };

/** Options of {@link paginate}. */
export interface PaginateOptions<R> extends CallOptions {
  /**
   * Rows per request, 1 to 10,000. By default 100, and 10,000 for a list with the query `sort` and without a cursor,
   * whose rows may move. Agents are read by 20 or more.
   */
  readonly pageSize?: number | undefined;
  /**
   * Identifies a row; a row seen before is skipped. By default its `id`, or the whole row without one. Identities are
   * kept until the end. `null` turns this off and keeps memory constant. Rows that move then repeat,
   * and without a cursor they may be missed.
   */
  readonly distinctBy?: ((row: R) => unknown) | null | undefined;
}

/** Rows of a list. Each page is requested when the previous one is used up. Each loop starts over. */
export interface Pagination<R> extends AsyncIterable<R> {
  /** Yields the same rows by page; a page may be empty when all of its rows were seen before. */
  pages(): AsyncGenerator<R[], void, undefined>;
}

/**
 * Reads all rows of a list: `for await (const token of paginate(client.apiToken.list)) ...`.
 *
 * Guarantee: a row that is in the list from the first request to the last comes exactly once, while others are added
 * and deleted anywhere. The list of error logs has a cursor, and there rows may also move. In other lists, a row that
 * moves towards the beginning during the read may be missed, unless one page has the whole list.
 *
 * @throws the errors of the call, and UnexpectedAnswerError when a server repeats the same page
 */
export function paginate<I, D, P>(
  list: ListCall<I, D, P>,
  input: ListInput<I> = {} as ListInput<I>,
  options: PaginateOptions<Row<P>> = {},
): Pagination<Row<P>> {
  const pages = () => pagesOf(list, input, options);
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const rows of pages()) yield* rows;
    },
  };
}

async function* pagesOf<I, D, P>(
  list: ListCall<I, D, P>,
  input: ListInput<I>,
  { pageSize, distinctBy, ...callOptions }: PaginateOptions<Row<P>>,
): AsyncGenerator<Row<P>[], void, undefined> {
  const { endpoint } = list;
  const names = queryNames(endpoint);
  const filter = withoutPaging(input.query);
  // One page of everything cannot miss a row that moves.
  const mayMove = 'sort' in filter && !names.includes('cursor');
  const size = pageSize ?? (mayMove ? PAGE_SIZE_MAX : PAGE_SIZE);
  if (!Number.isInteger(size) || size < 1 || size > PAGE_SIZE_MAX) {
    throw new TypeError(`pageSize must be a whole number from 1 to ${PAGE_SIZE_MAX}`);
  }
  const read: ReadPage<Row<P>> = async (paging) => {
    // TypeScript cannot build `Input` of an unknown endpoint.
    const answer: unknown = await (list as unknown as Call)({ ...input, query: { ...filter, ...paging } }, callOptions);
    return readRows<Row<P>>(answer, endpoint);
  };
  const identify = distinctBy ?? identity;
  yield* readPages(read, { endpoint, names, size, sizeMax: PAGE_SIZE_MAX, identify, isDistinct: distinctBy !== null });
}

type Call = (input: object, options: CallOptions) => Promise<unknown>;

/** Names of the query parameters of an endpoint. */
const queryNames = ({ query }: Route): readonly string[] =>
  query !== undefined && 'shape' in query ? Object.keys(query.shape as object) : [];

/** Paging is set by the reader: `start` and `end` would override the page, which would never advance. */
function withoutPaging(query: object | undefined): object {
  const paging: readonly string[] = PAGING;
  return Object.fromEntries(Object.entries(query ?? {}).filter(([name]) => !paging.includes(name)));
}

function readRows<R>(answer: unknown, endpoint: Route): { rows: R[]; next: string | null | undefined } {
  if (Array.isArray(answer)) return { rows: answer, next: undefined };
  const { data, meta } = (answer ?? {}) as { data?: R[]; meta?: { next?: string | null } };
  if (!Array.isArray(data)) throw strange('not a list', endpoint);
  return { rows: data, next: meta?.next };
}

function identity(row: unknown): unknown {
  const id = typeof row === 'object' && row !== null ? (row as { id?: unknown }).id : undefined;
  return id ?? JSON.stringify(row);
}
