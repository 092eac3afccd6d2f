// Pages of the rows that a test answers a list with.
import { type Endpoint, sliceOf } from '@quarterdeck/core';
import type * as z from 'zod';
import type { Sample } from './sample.ts';

type Query = Readonly<Record<string, number | string | undefined>>;

/** Data of a page: the rows that the query asks for, and what tells of the others. */
interface PageData {
  readonly data: readonly unknown[];
  readonly meta?: object;
}

const shapeOf = (schema: z.ZodType | undefined): Readonly<Record<string, z.ZodType>> =>
  schema === undefined || !('shape' in schema) ? {} : (schema.shape as Readonly<Record<string, z.ZodType>>);

/** Reports whether the data of an endpoint is a page, so that an answer of rows alone is meant as all of them. */
export const isPaged = ({ data, bareList }: Endpoint): boolean => bareList === true || 'data' in shapeOf(data);

/** Returns the page of all rows that a query asks for. */
export function pageOf(rows: readonly unknown[], endpoint: Endpoint, query: Query, sample: Sample): PageData {
  if (endpoint.bareList === true) return numberedPage(rows, { page: query['_page'], page_size: query['_pagesize'] });
  const { meta } = shapeOf(endpoint.data);
  if (meta === undefined) return { data: rows };
  const rest = sample(meta) as object;
  if ('before' in shapeOf(meta)) return linePage(rows, query, rest);
  return 'page' in query ? numberedPage(rows, query, rest) : { data: rows, meta: rest };
}

/** Page by number, by offsets or by cursor. A cursor is the number of rows before it. */
function numberedPage(rows: readonly unknown[], query: Query, rest: object = {}): PageData {
  const meta = { ...rest, count: rows.length };
  const slice = sliceOf(query as unknown as Parameters<typeof sliceOf>[0]);
  const { cursor } = query;
  const offset = cursor === undefined ? slice.offset : Number(cursor);
  const end = offset + (cursor === undefined ? slice.limit : Number(query['page_size']));
  const next = end < rows.length ? String(end) : null;
  return { data: rows.slice(offset, end), meta: cursor === undefined ? meta : { ...meta, next } };
}

/** Page of lines, the newest first, before or after a place among them. */
function linePage(rows: readonly unknown[], { before, after, limit = rows.length }: Query, rest: object): PageData {
  const count = Number(limit);
  const start = after === undefined ? Number(before ?? 0) : Math.max(0, Number(after) - count);
  const end = Math.min(rows.length, after === undefined ? start + count : Number(after));
  const older = end < rows.length ? String(end) : null;
  const newer = start > 0 ? String(start) : null;
  return { data: rows.slice(start, end), meta: { ...rest, before: older, after: newer, scanned: end - start } };
}
