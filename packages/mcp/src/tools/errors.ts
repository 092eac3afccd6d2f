// Tools about errors: groups of equal log lines.
import { contract, ErrlogSort, errlogFilters } from '@quarterdeck/core';
import { z } from 'zod';
import { defineTool, limit, nextPage, paging, splitPaging, textLast } from './tool.ts';

const ChangesQuery = contract.errlog.changes.query.shape;

const id = z.int().min(1).meta({ description: 'Id of the error' });
const OCCURRENCES_DEFAULT = 5;

export const searchErrors = defineTool({
  name: 'search_errors',
  title: 'Search errors',
  description:
    'Errors that match a filter: groups of equal log lines, with their counts, hosts, services and states, most ' +
    'recently seen first. Start here.',
  input: z.strictObject({
    ...errlogFilters,
    sort: ErrlogSort.optional(),
    rollup: z.boolean().optional().meta({ description: 'Show the same error on several hosts as one row' }),
    limit,
    cursor: contract.errlog.list.query.shape.cursor.meta({ description: '`next` of an answer names the next one' }),
    page: paging.page.meta({ description: 'With rollup, instead of a cursor: from 1' }),
  }),
  async run({ client, signal }, { cursor, ...args }) {
    const { filters, ...page } = splitPaging(args);
    // Rows move while the list is read: a cursor misses none, and pages may.
    const place = filters.rollup || args.page !== undefined ? { page: page.page } : { cursor: cursor ?? '' };
    const query = { ...filters, ...place, page_size: page.limit, detail: 1 };
    const { data, meta } = await client.errlog.list({ query }, { signal });
    // The count of a capped answer may end with this page although more errors match.
    const count = meta.capped && data.length === page.limit ? Number.POSITIVE_INFINITY : meta.count;
    const following = meta.next ? { cursor: meta.next } : undefined;
    return {
      summary: `${data.length} of ${meta.count} errors.`,
      data: data.map(textLast),
      meta,
      next: 'cursor' in place ? following : nextPage(count, page),
    };
  },
});

export const getError = defineTool({
  name: 'get_error',
  title: 'Get an error',
  description: 'One error with all details, and its latest occurrences with the fields of their lines.',
  input: z.strictObject({
    id,
    limit: limit.meta({ description: `Occurrences; default ${OCCURRENCES_DEFAULT}` }),
  }),
  async run({ client, signal }, { id, limit = OCCURRENCES_DEFAULT }) {
    const [error, occurrences] = await Promise.all([
      client.errlog.get({ params: { id } }, { signal }),
      client.errlog.occurrences({ params: { id }, query: { page_size: limit } }, { signal }),
    ]);
    const { data, meta } = occurrences;
    return {
      summary: `Error ${id}, with ${data.length} of ${meta.count} stored occurrences.`,
      data: { error: textLast(error), occurrences: data.map(textLast) },
    };
  },
});

export const whatChangedBefore = defineTool({
  name: 'what_changed_before',
  title: 'What changed before an error',
  description:
    'Changes on the affected hosts before an error began or became more frequent (packages, configuration files, ' +
    'deployments, reboots), ranked by the probability that they are the cause. Changed lines are not shown.',
  input: z.strictObject({ id, within: ChangesQuery.within, limit: ChangesQuery.limit }),
  async run({ client, signal }, { id, ...query }) {
    const { windows, complete } = await client.errlog.changes({ params: { id }, query }, { signal });
    const changes = windows.reduce((sum, window) => sum + window.changes.length, 0);
    return {
      summary: `${changes} suspected changes in ${windows.length} time windows before error ${id}.`,
      data: windows,
      meta: { complete },
    };
  },
});

export const errorTrend = defineTool({
  name: 'error_trend',
  title: 'Trend of errors',
  description: 'Number of errors of a filter in equal steps of time, by level, from start_time to end_time.',
  input: z.strictObject({
    ...errlogFilters,
    buckets: z.int().min(1).max(100).optional().meta({ description: 'Most steps of time; default 24' }),
  }),
  async run({ client, signal }, { buckets = 24, ...filters }) {
    const { meta, partial, ...trend } = await client.errlog.histogram({ query: { ...filters, buckets } }, { signal });
    const total = trend.buckets.reduce((sum, { count }) => sum + count, 0);
    return {
      summary: `${total} occurrences in ${trend.buckets.length} steps of ${trend.step} seconds.`,
      data: trend,
      meta: { ...meta, capped: partial },
    };
  },
});
