// Names, paths and access of the routes outside the contract, for their code, the document and the tests.
import { type Endpoint, EventQuery, endpoint, errlogFilters, LineExportQuery, queryInt } from '@quarterdeck/core';
import { z } from 'zod';

/** Outside the contract: its answer does not end. */
export const EVENTS = endpoint({
  method: 'GET',
  path: '/admin-api/events',
  summary: 'Server-sent events: error logs and agents as they change; lines as they arrive',
  access: 'signed_in',
  query: EventQuery,
  data: z.string(),
  errors: ['stream_limit_reached'],
});

/** Outside the contract: its answer is a file of any length. */
export const EXPORT = endpoint({
  method: 'GET',
  path: '/admin-api/log_server/errlog/export',
  summary: 'All groups of a filter as NDJSON or CSV, the newest groups first',
  access: 'errlog:read',
  query: z.object({
    ...errlogFilters,
    format: z.enum(['ndjson', 'csv']).default('ndjson'),
    before_id: queryInt(1, Number.MAX_SAFE_INTEGER)
      .optional()
      .meta({ description: 'Only groups with an id below: where an export that broke off goes on' }),
  }),
  data: z.string(),
});

/** Outside the contract: its answer is a file of any length. */
export const LINE_EXPORT = endpoint({
  method: 'GET',
  path: '/admin-api/log_server/line/export',
  summary: 'All lines of a filter as NDJSON or CSV, in the order of arrival',
  access: 'errlog:read',
  query: LineExportQuery,
  data: z.string(),
});

/** Outside the contract: OpenTelemetry defines its input and its answer. */
export const OTLP_LOGS = endpoint({
  method: 'POST',
  path: '/v1/logs',
  summary: 'OpenTelemetry logs: OTLP/HTTP in JSON or protobuf',
  access: 'errlog:write',
  uncounted: true,
  data: z.unknown(),
});

/** Outside the contract: Prometheus defines its answer. */
export const METRICS = endpoint({
  method: 'GET',
  path: '/metrics',
  summary: 'Metrics in the text format of Prometheus',
  access: 'metrics:read',
  data: z.string(),
});

/** All of them, by name. */
export const RAW_ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  events: EVENTS,
  export: EXPORT,
  lineExport: LINE_EXPORT,
  otlp: OTLP_LOGS,
  metrics: METRICS,
};
