// Lists: wire contract section 4.
import * as z from 'zod';
import { queryInt } from './primitives.ts';

/** Default number of rows on a page (specification section 8). */
export const PAGE_SIZE_DEFAULT = 20;
/** Maximum number of rows on a page. More are refused, so that rows are never silently dropped. */
export const PAGE_SIZE_MAX = 10_000;

const page = queryInt(1).default(1).meta({ description: 'From 1; default 1' });
const pageSize = queryInt(0, PAGE_SIZE_MAX)
  .default(PAGE_SIZE_DEFAULT)
  .meta({ description: `Default ${PAGE_SIZE_DEFAULT}; 0 returns the count alone` });

/** Paging of the administration lists. `start` and `end` are 0-based offsets, `end` exclusive; they override `page`. */
export const pageQuery = {
  page,
  page_size: pageSize,
  start: queryInt(0).optional().meta({ description: '0-based offset; overrides page' }),
  end: queryInt(0).optional().meta({ description: '0-based offset, exclusive' }),
};

/** Cursor of a list whose order moves while it is read. */
export const cursorQuery = {
  cursor: z
    .string()
    .max(200)
    .optional()
    .meta({
      description:
        'Reads the whole list although its order moves: empty for the first page, then meta.next of the page before. ' +
        'No row is left out; rows that moved may come again',
    }),
};

/** `meta.next` of a page read by cursor. */
export const nextCursor = {
  next: z
    .string()
    .nullable()
    .optional()
    .meta({ description: 'With a cursor: that of the next page; null after the last one, absent with rollup' }),
};

/** Paging of the agent list (specification 4.6). */
export const agentPageQuery = { _page: page, _pagesize: pageSize };

/** `data` of an administration list. */
export const pageOf = <Row extends z.ZodType>(row: Row) =>
  z.object({ data: z.array(row), meta: z.object({ count: z.int().min(0) }) });

/** `data` of an administration list: rows, and their total. */
export interface Page<Row> {
  readonly data: Row[];
  readonly meta: { readonly count: number };
}

/** A range of rows: skip `offset`, take `limit`. */
export interface Slice {
  readonly offset: number;
  readonly limit: number;
}

/** Range of rows that the paging parameters of an administration list request. */
export function sliceOf(query: {
  page: number;
  page_size: number;
  start?: number | undefined;
  end?: number | undefined;
}): Slice {
  if (query.start === undefined && query.end === undefined) {
    return { offset: (query.page - 1) * query.page_size, limit: query.page_size };
  }
  const offset = query.start ?? 0;
  const end = query.end ?? offset + query.page_size;
  return { offset, limit: Math.max(0, end - offset) };
}
