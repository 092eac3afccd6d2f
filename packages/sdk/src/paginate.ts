// Reads a list to its end, page by page. All knowledge about paging is here.
import type { Endpoint, Input, Page, Result } from '@quarterdeck/core';
import type { ListCall } from './client.ts';
import { UnexpectedAnswerError } from './errors.ts';
import type { CallOptions } from './transport.ts';

const PAGE_SIZE = 100;
/** Identical pages in a row after which the server evidently ignores paging. */
const REPEATS_MAX = 3;

type PagingKey = 'page' | 'page_size' | 'start' | 'end' | '_page' | '_pagesize';

/** One row of a list. */
export type Row<E extends Endpoint> = Result<E> extends Page<infer R> ? R : never;

type QueryOf<E> = Input<E> extends { query?: infer Q } ? Omit<NonNullable<Q>, PagingKey> : never;

/** Input of a list without its paging, which callers do not set. */
export type ListInput<E> = Omit<Input<E>, 'query'> & { readonly query?: QueryOf<E> | undefined };

/** Options of {@link paginate}. */
export interface PaginateOptions<R> extends CallOptions {
  /** Rows per request, 1 to 10,000; 100 by default. */
  readonly pageSize?: number | undefined;
  /**
   * Identifies a row; a row seen before is skipped. By default its `id`, or the whole row without one. Identities are
   * kept until the end: `null` turns this off and keeps memory constant.
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
 * A list can change while it is read. A row that moves towards the end would come twice, which `distinctBy` prevents. A
 * row that moves towards the beginning, or follows a deleted one, may be missed.
 *
 * @throws the errors of the call, and UnexpectedAnswerError when a server repeats the same page
 */
export function paginate<E extends Endpoint>(
  list: ListCall<E>,
  input: ListInput<E> = {} as ListInput<E>,
  options: PaginateOptions<Row<E>> = {},
): Pagination<Row<E>> {
  const pages = () => readPages(list, input, options);
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const rows of pages()) yield* rows;
    },
  };
}

async function* readPages<E extends Endpoint>(
  list: ListCall<E>,
  input: ListInput<E>,
  { pageSize = PAGE_SIZE, distinctBy, ...callOptions }: PaginateOptions<Row<E>>,
): AsyncGenerator<Row<E>[], void, undefined> {
  if (!Number.isInteger(pageSize) || pageSize < 1) throw new TypeError('pageSize must be a whole number from 1');
  const names = pagingNames(list.endpoint);
  const keyOf: (row: Row<E>) => unknown = distinctBy ?? identity;
  const seen = new Set<unknown>();
  let before: unknown[] = [];
  let repeats = 0;

  for (let page = 1; ; page += 1) {
    const query = { ...withoutPaging(input.query), [names.page]: page, [names.size]: pageSize };
    // TypeScript cannot build `Input` of an unknown endpoint.
    const answer: unknown = await (list as Call)({ ...input, query }, callOptions);
    const { rows, count } = readRows<Row<E>>(answer, list.endpoint);

    const keys = rows.map(keyOf);
    repeats = keys.every((key, i) => key === before[i]) ? repeats + 1 : 0;
    if (repeats >= REPEATS_MAX) throw strange(`page ${page} is the same as those before it`, list.endpoint);
    before = keys;

    yield distinctBy === null ? rows : rows.filter((_, i) => isFirst(seen, keys[i]));

    // More rows than requested: the server ignores paging and sent everything.
    if (rows.length !== pageSize || (count !== undefined && page * pageSize >= count)) return;
  }
}

type Call = (input: object, options: CallOptions) => Promise<unknown>;

/** The administration lists and the console's use different names (specification 4.2, 4.6). */
function pagingNames({ query }: Endpoint): { page: PagingKey; size: PagingKey } {
  const known = query !== undefined && 'shape' in query ? (query.shape as object) : {};
  return '_page' in known ? { page: '_page', size: '_pagesize' } : { page: 'page', size: 'page_size' };
}

/** `start` and `end` would override the page, which would never advance. */
function withoutPaging(query: object | undefined): object {
  const paging: readonly string[] = ['page', 'page_size', 'start', 'end', '_page', '_pagesize'] satisfies PagingKey[];
  return Object.fromEntries(Object.entries(query ?? {}).filter(([name]) => !paging.includes(name)));
}

function readRows<R>(answer: unknown, endpoint: Endpoint): { rows: R[]; count: number | undefined } {
  if (Array.isArray(answer)) return { rows: answer, count: undefined };
  const { data, meta } = (answer ?? {}) as Partial<Page<R>>;
  if (!Array.isArray(data)) throw strange('not a list', endpoint);
  return { rows: data, count: meta?.count };
}

function identity(row: unknown): unknown {
  const id = typeof row === 'object' && row !== null ? (row as { id?: unknown }).id : undefined;
  return id ?? JSON.stringify(row);
}

function isFirst(seen: Set<unknown>, key: unknown): boolean {
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

function strange(reason: string, { method, path }: Endpoint): UnexpectedAnswerError {
  return new UnexpectedAnswerError({ reason, status: 200, contentType: 'application/json' }, { method, url: path });
}
