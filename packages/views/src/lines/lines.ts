// Requests about stored lines.
import type { Client, Line, LineListQuery, LinePage, LineValues } from '@quarterdeck/sdk';
import { curlOf } from '../text/curl.ts';
import { rangeBounds, type TimeRange } from '../times/range.ts';

/** Selection of lines: a filter in the filter language, and a span in Unix seconds. */
export type LineQuery = Pick<LineListQuery, 'filter' | 'start_time' | 'end_time'>;

/** Returns the lines of a filter within a range of time. */
export const lineQuery = (filter: string, range: TimeRange | null, nowS: number): LineQuery => ({
  ...(filter === '' ? {} : { filter }),
  ...rangeBounds(range, nowS),
});

/** Returns whether new lines can match a query: its span does not end in the past. */
export const isOpenEnded = ({ end_time: endS }: LineQuery, nowS: number): boolean => endS === undefined || endS >= nowS;

/** Lines of one request. */
export const LINES_PER_PAGE = 500;

/** Reads a page of lines, the newest first. */
export const listLines = (
  client: Client,
  query: LineQuery & Pick<LineListQuery, 'before' | 'after' | 'group' | 'limit'>,
  signal?: AbortSignal,
): Promise<LinePage> => client.line.list({ query: { limit: LINES_PER_PAGE, ...query } }, { signal });

/** Lines on each side of a line. */
export const LINES_AROUND = 300;

/** Numbers of lines before and after a line. */
export const AROUND = { before: LINES_AROUND, after: LINES_AROUND };

/** Reads the lines of the same source around a line, itself included, oldest first. */
export async function linesAround(
  client: Client,
  id: string,
  { before, after }: { readonly before: number; readonly after: number },
  signal?: AbortSignal,
): Promise<readonly Line[]> {
  const query = { before, after, same: 'source' } as const;
  return (await client.line.context({ params: { id }, query }, { signal })).data;
}

/** Values of a field that are read. */
const VALUES_TOP = 200;

/** Counts the values of a field on the server, over all lines of a query. */
export const countLineValues = (client: Client, query: LineQuery, field: string): Promise<LineValues> =>
  client.line.values({ query: { ...query, field, top: VALUES_TOP } });

/** Returns the curl command that reads lines. */
export function linesCurl(url: string, query: LineQuery): string {
  const values = Object.entries({ ...query, limit: 100 }).map(([name, value]) => [name, String(value)] as const);
  return curlOf({
    method: 'GET',
    url: `${url}/admin-api/log_server/line?${new URLSearchParams(Object.fromEntries(values))}`,
  });
}
