import * as z from 'zod';
import {
  ByLineId,
  Line,
  LineContext,
  LineErase,
  LineErased,
  LineHistogram,
  LinePage,
  LineValues,
  lineContextQuery,
  lineFilters,
  linePageQuery,
} from '../domain/line.ts';
import { queryInt, text } from '../domain/primitives.ts';
import { endpoint } from './endpoint.ts';

export const line = {
  list: endpoint({
    method: 'GET',
    path: '/admin-api/log_server/line',
    summary: 'Stored lines, newest first',
    access: 'errlog:read',
    narrowed: true,
    query: z.object({ ...lineFilters, ...linePageQuery }),
    data: LinePage,
    errors: ['overloaded'],
  }),
  values: endpoint({
    method: 'GET',
    path: '/admin-api/log_server/line/values',
    summary: 'The most frequent values of a field, among the lines of a filter',
    access: 'errlog:read',
    narrowed: true,
    query: z.object({
      ...lineFilters,
      field: text(200).min(1).meta({ description: 'Name of the field in the filter language, such as client or host' }),
      top: queryInt(1, 1000).default(10).meta({ description: 'Number of values; default 10' }),
    }),
    data: LineValues,
    errors: ['overloaded'],
  }),
  histogram: endpoint({
    method: 'GET',
    path: '/admin-api/log_server/line/histogram',
    summary: 'Histogram of the lines of a filter by time and level; of the last 24 hours unless it has a span',
    access: 'errlog:read',
    narrowed: true,
    query: z.object({
      ...lineFilters,
      buckets: queryInt(1, 1500)
        .default(60)
        .meta({ description: 'Maximum number of buckets, which begin at round times in UTC; default 60' }),
    }),
    data: LineHistogram,
    errors: ['overloaded'],
  }),
  erase: endpoint({
    method: 'POST',
    path: '/admin-api/log_server/line/erase',
    summary: 'Erase lines for good, such as a leaked secret; the counts of their groups stay',
    access: 'errlog:erase',
    body: LineErase,
    data: LineErased,
  }),
  get: endpoint({
    method: 'GET',
    path: '/admin-api/log_server/line/{id}',
    summary: 'One stored line',
    access: 'errlog:read',
    narrowed: true,
    params: ByLineId,
    data: Line,
    errors: ['not_found'],
  }),
  context: endpoint({
    method: 'GET',
    path: '/admin-api/log_server/line/{id}/context',
    summary: 'Lines around a line, itself included, in the order of time',
    access: 'errlog:read',
    narrowed: true,
    params: ByLineId,
    query: z.object(lineContextQuery),
    data: LineContext,
    errors: ['not_found'],
  }),
};
