// The requests that read a list to its end, although the list changes meanwhile.
import { UnexpectedAnswerError } from './request/errors.ts';

/** Query parameters that choose a page. */
export const PAGING = ['page', 'page_size', 'start', 'end', 'cursor', '_page', '_pagesize'] as const;
export type PagingKey = (typeof PAGING)[number];

/** Reads one page; `next` is the cursor of the next one, null at the end, undefined from a server without cursors. */
export type ReadPage<R> = (
  paging: Partial<Record<PagingKey, number | string>>,
) => Promise<{ readonly rows: R[]; readonly next: string | null | undefined }>;

/** Description of a list endpoint that paging needs. */
export interface ListForm<R> {
  readonly endpoint: { readonly method: string; readonly path: string };
  /** Query parameters of the list. */
  readonly names: readonly string[];
  /** Rows per request, and the largest number that the server allows. */
  readonly size: number;
  readonly sizeMax: number;
  readonly identify: (row: R) => unknown;
  /** Skips rows that were seen before. */
  readonly isDistinct: boolean;
}

/** Requests without progress in a row after which the server evidently ignores paging. */
const STALLS_MAX = 20;
/** Pages of fewer rows cannot overlap at every offset. */
const OVERLAPPING_SIZE_MIN = 20;

/** Yields the new rows of each page. */
export function readPages<R>(read: ReadPage<R>, form: ListForm<R>): AsyncGenerator<R[], void, undefined> {
  return form.names.includes('cursor') ? readByCursor(read, form) : readByOffset(read, form);
}

/** The server keeps in the cursor all that it needs to return rows that moved. */
async function* readByCursor<R>(read: ReadPage<R>, form: ListForm<R>): AsyncGenerator<R[], void, undefined> {
  const { endpoint, size } = form;
  const seen = new Set<unknown>();
  let cursor = '';
  for (;;) {
    const { rows, next } = await read({ page_size: size, cursor });
    if (next === undefined && cursor === '') {
      // A server of an earlier version ignores the cursor.
      yield* readByOffset(read, form);
      return;
    }
    yield unseen(rows, seen, form);
    if (next === null) return;
    if (next === undefined || next === cursor) throw strange('a page without the cursor of the next one', endpoint);
    cursor = next;
  }
}

/**
 * Reads overlapping pages. A page with a row that was read before joins it: no row between can have been missed,
 * because the rows keep their order among each other. Without such a row, deletions have moved the rest forward. Then
 * the reader goes back until a page joins again.
 */
async function* readByOffset<R>(read: ReadPage<R>, form: ListForm<R>): AsyncGenerator<R[], void, undefined> {
  const { endpoint, size, identify, isDistinct } = form;
  const seen = new Set<unknown>();
  let before: unknown[] = [];
  let offset = 0;
  let stalls = 0;
  let backBy = size;
  for (;;) {
    const { start, limit, paging } = windowAt(offset, form);
    const { rows } = await read(paging);
    const keys = rows.map(identify);
    const isJoined = start === 0 || !isDistinct || keys.some((key) => seen.has(key));
    if (!isJoined || isSame(keys, before)) stalls += 1;
    else if (start > 0) stalls = 0;
    if (stalls >= STALLS_MAX) throw strange('pages repeat, or their rows have no lasting id', endpoint);
    before = keys;
    if (!isJoined) {
      offset = Math.max(0, start - backBy);
      backBy *= 2;
      continue;
    }
    backBy = size;
    yield isDistinct ? unseen(rows, seen, form) : rows;
    // More rows than requested: the server ignores paging and sent everything.
    if (rows.length !== limit) return;
    offset = start + rows.length;
  }
}

/** Rows of one request: `limit` rows from `start`. */
interface Window {
  readonly start: number;
  readonly limit: number;
  readonly paging: Partial<Record<PagingKey, number>>;
}

/** Returns the request for the rows from an offset on, and for the row before them. */
function windowAt<R>(offset: number, { names, size, sizeMax, isDistinct }: ListForm<R>): Window {
  const start = isDistinct ? Math.max(0, offset - 1) : offset;
  if (names.includes('start') && names.includes('end')) {
    const limit = Math.min(size + offset - start, sizeMax);
    return { start, limit, paging: { start, end: start + limit } };
  }
  const limit = start === offset ? size : pageSizeAround(start, Math.max(size, OVERLAPPING_SIZE_MIN));
  const page = Math.floor(start / limit);
  const isConsole = names.includes('_page');
  const paging = isConsole ? { _page: page + 1, _pagesize: limit } : { page: page + 1, page_size: limit };
  return { start: page * limit, limit, paging };
}

/** Returns the page size up to `sizeMax` whose page with this row has the most rows behind it. */
function pageSizeAround(row: number, sizeMax: number): number {
  const rowsBehind = (size: number) => size - 1 - (row % size);
  let best = sizeMax;
  for (let size = sizeMax; size - 1 > rowsBehind(best); size -= 1) {
    if (rowsBehind(size) > rowsBehind(best)) best = size;
  }
  return best;
}

const isSame = (keys: readonly unknown[], others: readonly unknown[]): boolean =>
  keys.length > 0 && keys.length === others.length && keys.every((key, i) => key === others[i]);

/** Returns the rows that were not seen before, and remembers them. */
function unseen<R>(rows: R[], seen: Set<unknown>, { identify, isDistinct }: ListForm<R>): R[] {
  if (!isDistinct) return rows;
  return rows.filter((row) => {
    const key = identify(row);
    return !seen.has(key) && seen.add(key);
  });
}

/** Creates the error for an answer that is no page of the list. */
export function strange(reason: string, { method, path }: ListForm<unknown>['endpoint']): UnexpectedAnswerError {
  return new UnexpectedAnswerError({ reason, status: 200, contentType: 'application/json' }, { method, url: path });
}
