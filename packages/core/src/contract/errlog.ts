import { z } from 'zod';
import { ErrlogEntry, ErrlogLine, ErrlogReceipt, errlogFilters } from '../domain/errlog.ts';
import { pageOf, pageQuery } from '../domain/page.ts';
import { Detail } from '../domain/primitives.ts';
import { endpoint } from './endpoint.ts';

export const errlog = {
  list: endpoint({
    method: 'GET',
    path: '/admin-api/log_server/errlog',
    summary: 'Error logs, grouped, the most recently seen first',
    access: 'errlog:read',
    query: z.object({ ...pageQuery, ...errlogFilters, detail: Detail }),
    data: pageOf(ErrlogEntry),
  }),
  append: endpoint({
    method: 'POST',
    path: '/admin-api/log_server/errlog',
    summary: 'Send error-log lines: a JSON array, one JSON object, or NDJSON',
    access: 'errlog:write',
    body: z.union([z.array(ErrlogLine), ErrlogLine]),
    consumes: 'lines',
    bodyLimit: 8 * 1024 * 1024,
    data: ErrlogReceipt,
    errors: ['nothing_accepted', 'overloaded'],
  }),
};
