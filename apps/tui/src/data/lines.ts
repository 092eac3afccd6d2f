// Requests about stored lines.
import { writeFile } from 'node:fs/promises';
import type { contract, Input, Line, LinePage, LineValues } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import { rangeBounds, type TimeRange } from './range.ts';
import { curlOf } from './requests.ts';

type ListQuery = NonNullable<Input<(typeof contract)['line']['list']>['query']>;

/** Selection of lines: a filter in the filter language, and a span in Unix seconds. */
export type LineQuery = Pick<ListQuery, 'filter' | 'start_time' | 'end_time'>;

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
  query: LineQuery & Pick<ListQuery, 'before' | 'after' | 'group' | 'limit'>,
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

/** Extensions of files that the server can fill. */
const EXPORTS = ['csv', 'ndjson'] as const;

/**
 * Writes all lines of a query to a file that only its owner can read; replaces a file only if `overwrites`.
 * @returns a message.
 * @throws Error with a message for the user.
 */
export async function exportLines(
  client: Client,
  { filter, start_time, end_time }: LineQuery,
  path: string,
  overwrites = false,
): Promise<string> {
  const format = EXPORTS.find((extension) => path.endsWith(`.${extension}`));
  if (format === undefined) throw new Error('The file name must end in .csv or .ndjson.');
  const wanted = Object.entries({ filter, start_time, end_time }).filter(([, value]) => value !== undefined);
  try {
    await writeFile(path, client.exportLinesText(format, { filter: Object.fromEntries(wanted) }), {
      flag: overwrites ? 'w' : 'wx',
      mode: 0o600,
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new Error('File already exists; nothing was written.');
    if (typeof code === 'string' && /^E[A-Z]+$/.test(code)) throw new Error(`Cannot write the file (${code}).`);
    throw error;
  }
  return `Wrote the lines to ${path}.`;
}

/** Returns the curl command that reads lines. */
export function linesCurl(url: string, query: LineQuery): string {
  const values = Object.entries({ ...query, limit: 100 }).map(([name, value]) => [name, String(value)] as const);
  return curlOf({
    method: 'GET',
    url: `${url}/admin-api/log_server/line?${new URLSearchParams(Object.fromEntries(values))}`,
  });
}
