import * as z from 'zod';
import { BulkQuery, BulkResult } from '../domain/bulk.ts';
import {
  ErrlogBulk,
  ErrlogChange,
  ErrlogEntry,
  ErrlogFacets,
  ErrlogHistogram,
  ErrlogLine,
  ErrlogOccurrence,
  ErrlogPage,
  ErrlogReceipt,
  ErrlogRollup,
  ErrlogSort,
  ErrlogSource,
  errlogFilters,
} from '../domain/errlog.ts';
import { ErrlogChanges } from '../domain/errlog-changes.ts';
import { OddList } from '../domain/odd.ts';
import { cursorQuery, pageOf, pageQuery } from '../domain/page.ts';
import { ById, Detail, queryFlag, queryInt, text } from '../domain/primitives.ts';
import { endpoint } from './endpoint.ts';
import { errlogGrouping, errlogRules } from './errlog-grouping.ts';

/** Fields that people edit. */
const EDITED = ['state', 'until', 'note'];

export const errlog = {
  list: endpoint({
    method: 'GET',
    path: '/admin-api/log_server/errlog',
    summary: 'Error logs, grouped, most recently seen first',
    unknownInput: 'ignored',
    access: 'errlog:read',
    narrowed: true,
    query: z.object({
      ...pageQuery,
      ...cursorQuery,
      ...errlogFilters,
      sort: ErrlogSort,
      rollup: ErrlogRollup,
      detail: Detail,
    }),
    data: ErrlogPage,
    errors: ['conflict', 'overloaded'],
  }),
  append: endpoint({
    method: 'POST',
    path: '/admin-api/log_server/errlog',
    summary: 'Send error-log lines: a JSON array, one JSON object, or NDJSON; with Idempotency-Key a batch counts once',
    access: 'errlog:write',
    narrowed: true,
    query: z.object({
      dry_run: queryFlag()
        .default(false)
        .meta({ description: 'Show how lines would be grouped, without storing them' }),
    }),
    body: z.union([z.array(ErrlogLine), ErrlogLine]),
    uncounted: true,
    consumes: 'lines',
    bodyLimit: 8 * 1024 * 1024,
    data: ErrlogReceipt,
    errors: ['nothing_accepted', 'idempotency_conflict', 'quota_exceeded', 'overloaded'],
  }),
  histogram: endpoint({
    method: 'GET',
    path: '/admin-api/log_server/errlog/histogram',
    summary: 'Histogram of the errors of a filter by time and level, from start_time to end_time',
    access: 'errlog:read',
    narrowed: true,
    query: z.object({
      ...errlogFilters,
      buckets: queryInt(1, 1500)
        .default(60)
        .meta({ description: 'Maximum number of buckets, which begin at round times in UTC; default 60' }),
    }),
    data: ErrlogHistogram,
    errors: ['overloaded'],
  }),
  facets: endpoint({
    method: 'GET',
    path: '/admin-api/log_server/errlog/facets',
    summary: 'Levels, states, top sources, apps and services of the groups of a filter',
    access: 'errlog:read',
    narrowed: true,
    query: z.object({ ...errlogFilters, top: queryInt(1, 1000).default(10) }),
    data: ErrlogFacets,
    errors: ['overloaded'],
  }),
  bulk: endpoint({
    method: 'POST',
    path: '/admin-api/log_server/errlog/bulk',
    summary: 'Resolve, mute or reopen many groups',
    access: 'errlog:manage',
    narrowed: true,
    query: BulkQuery,
    body: ErrlogBulk,
    data: BulkResult,
    errors: ['conflict', 'overloaded'],
  }),
  ...errlogRules,
  get: endpoint({
    method: 'GET',
    path: '/admin-api/log_server/errlog/{id}',
    summary: 'One group, with all details',
    access: 'errlog:read',
    narrowed: true,
    params: ById,
    data: ErrlogEntry,
    versioned: EDITED,
    errors: ['not_found'],
  }),
  update: endpoint({
    method: 'PUT',
    path: '/admin-api/log_server/errlog/{id}',
    summary: 'Resolve, mute or reopen a group, or write a note',
    access: 'errlog:manage',
    narrowed: true,
    params: ById,
    body: ErrlogChange,
    data: ErrlogEntry,
    versioned: EDITED,
    errors: ['not_found', 'precondition_failed'],
  }),
  occurrences: endpoint({
    method: 'GET',
    path: '/admin-api/log_server/errlog/{id}/events',
    summary: 'Occurrences of a group, latest arrival first; retention may have removed some',
    access: 'errlog:read',
    narrowed: true,
    params: ById,
    query: z.object(pageQuery),
    data: pageOf(ErrlogOccurrence),
    errors: ['not_found'],
  }),
  changes: endpoint({
    method: 'GET',
    path: '/admin-api/log_server/errlog/{id}/changes',
    summary: 'Changes on the affected agents before an error began or became more frequent',
    access: 'errlog:read',
    narrowed: true,
    params: ById,
    query: z.object({
      within: queryInt(60, 86_400).default(3600).meta({ description: 'Seconds to look back; default 3600' }),
      limit: queryInt(1, 100).default(20).meta({ description: 'Changes per window; default 20' }),
    }),
    data: ErrlogChanges,
    errors: ['not_found'],
  }),
  odd: endpoint({
    method: 'GET',
    path: '/admin-api/log_server/errlog/{id}/odd',
    summary: 'How the hosts of an error differ from healthy hosts with the same labels or service, when it began',
    access: 'errlog:read',
    narrowed: true,
    params: ById,
    data: OddList,
    errors: ['not_found'],
  }),
  ...errlogGrouping,
  sources: endpoint({
    method: 'GET',
    path: '/admin-api/log_server/source',
    summary: 'Sources of error logs, newest first',
    access: 'errlog:read',
    narrowed: true,
    query: z.object({
      ...pageQuery,
      q: text(200).optional().meta({ description: 'Part of the name or the address' }),
      agent_id: queryInt(1).optional().meta({ description: 'Sources of this agent' }),
    }),
    data: pageOf(ErrlogSource),
  }),
};
