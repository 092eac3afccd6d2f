// Demo: stored lines, with filters, pages, counts and surroundings.
import type { Line, LineValues } from '@quarterdeck/core';
import { compileFilter, loadExpressions, parseFilter } from '@quarterdeck/core/filter';
import { type CallOf, type Fake, refusal } from '@quarterdeck/sdk/testing';
import { lineValue } from '@quarterdeck/views/lines';
import type { Fleet } from './fleet-state.ts';
import { emptyBuckets, tally } from './rows.ts';

type Query = Pick<CallOf<'line.list'>['query'], 'filter' | 'group' | 'start_time' | 'end_time'>;

/** Returns the lines that pass a query, newest first. */
async function linesOf({ lines }: Fleet, query: Query, nowS: number): Promise<Line[]> {
  const { filter = '', group, start_time: from = 0, end_time: to = Number.MAX_SAFE_INTEGER } = query;
  await loadExpressions();
  const test = compileFilter(parseFilter(filter), nowS);
  return lines.filter(
    (line) =>
      (group === undefined || line.group === group) &&
      line.time >= from &&
      Math.floor(line.time) <= to &&
      test({ ...line, fields: () => line.fields }),
  );
}

const complete = (lines: readonly Line[], all: readonly Line[]) => ({
  complete: true,
  ...(lines.length === 0 && all.length > 0 ? { why_empty: 'filtered_out' as const } : {}),
});

/** A page of lines. Its cursors are the ids of the lines at its ends. */
function pageOf(lines: readonly Line[], all: readonly Line[], { limit, before, after }: CallOf<'line.list'>['query']) {
  const edge = before ?? after;
  const at = edge === undefined ? 0 : lines.findIndex(({ id }) => id === edge);
  const start = after === undefined ? at + (before === undefined ? 0 : 1) : Math.max(0, at - limit);
  const data = lines.slice(start, after === undefined ? start + limit : at);
  const hasOlder = start + data.length < lines.length;
  const older = hasOlder ? (data.at(-1)?.id ?? null) : null;
  const newer = start > 0 ? (data[0]?.id ?? edge ?? null) : null;
  return { data, meta: { before: older, after: newer, scanned: lines.length, ...complete(lines, all) } };
}

function valuesOf(lines: readonly Line[], field: string, top: number): Omit<LineValues, 'meta'> {
  const values = lines.map((line) => lineValue(line, field)).filter((value) => value !== '');
  const sorted = tally(values).map(([value, count]) => ({ value, count }));
  const other = sorted.slice(top).reduce((sum, { count }) => sum + count, 0);
  return { values: sorted.slice(0, top), other, distinct: sorted.length };
}

function histogramOf(lines: readonly Line[], query: CallOf<'line.histogram'>['query'], nowS: number) {
  const { end_time: end = nowS, start_time: start = end - 86_400, buckets: wanted } = query;
  const step = Math.max(1, Math.ceil((end - start) / wanted));
  const { buckets, add } = emptyBuckets(start, end, step);
  for (const { time, level } of lines) add(time, level, 1);
  return { start, end, step, buckets };
}

export function answerLines({ on }: Fake, fleet: Fleet, now: () => number): void {
  const nowS = (): number => Math.floor(now() / 1000);
  const find = (id: string): Line => {
    const line = fleet.lines.find((one) => one.id === id);
    if (line === undefined) throw refusal('not_found');
    return line;
  };
  on('line.list', async ({ query }) => pageOf(await linesOf(fleet, query, nowS()), fleet.lines, query));
  on('line.export', async ({ query }) => (await linesOf(fleet, query, nowS())).toReversed());
  on('line.values', async ({ query }) => {
    const lines = await linesOf(fleet, query, nowS());
    return { ...valuesOf(lines, query.field, query.top), meta: complete(lines, fleet.lines) };
  });
  on('line.histogram', async ({ query }) => {
    const lines = await linesOf(fleet, query, nowS());
    return { ...histogramOf(lines, query, nowS()), meta: complete(lines, fleet.lines) };
  });
  on('line.get', ({ params }) => find(params.id));
  on('line.context', ({ params, query: { before, after, same } }) => {
    const line = find(params.id);
    const beside = fleet.lines
      .filter(({ src, req_id }) => (same === 'request' ? req_id === line.req_id : src === line.src))
      .toReversed();
    const at = beside.indexOf(line);
    return { data: beside.slice(Math.max(0, at - before), at + after + 1) };
  });
}
