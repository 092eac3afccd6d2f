// Names, paths and access of the routes outside the contract, for their code, the document and the tests.
import { type Endpoint, EventQuery, endpoint, errlogFilters, LineExportQuery, queryInt } from '@quarterdeck/core';
import { z } from 'zod';
import { FLOW_PURPOSES } from '../../features/single-sign-on/flow.ts';

/** Outside the contract: its answer does not end. */
export const EVENTS = endpoint({
  method: 'GET',
  path: '/admin-api/events',
  summary: 'Server-sent events: error logs and agents as they change; lines as they arrive',
  access: 'signed_in',
  narrowed: true,
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
  narrowed: true,
  query: z.object({
    ...errlogFilters,
    format: z.enum(['ndjson', 'csv']).default('ndjson'),
    before_id: queryInt(1, Number.MAX_SAFE_INTEGER)
      .optional()
      .meta({ description: 'Only groups with an id below: where an export that broke off goes on' }),
  }),
  data: z.string(),
  errors: ['export_limit_reached'],
});

/** Outside the contract: its answer is a file of any length. */
export const LINE_EXPORT = endpoint({
  method: 'GET',
  path: '/admin-api/log_server/line/export',
  summary: 'All lines of a filter as NDJSON or CSV, in the order of arrival',
  access: 'errlog:read',
  narrowed: true,
  query: LineExportQuery,
  data: z.string(),
  errors: ['export_limit_reached'],
});

/** Outside the contract: its answer is a file of any length. */
export const AUDIT_EXPORT = endpoint({
  method: 'GET',
  path: '/admin-api/audit/export',
  summary: 'All entries of the audit log as NDJSON, the oldest first, with the hashes of their chain',
  access: 'audit:read',
  query: z.object({
    format: z.enum(['ndjson']).default('ndjson'),
    after: queryInt(0).default(0).meta({ description: 'Only entries with an id above: where an export goes on' }),
  }),
  data: z.string(),
  errors: ['export_limit_reached'],
});

/** An endpoint for senders of lines, whose protocol defines its input and its answer. */
const forSenders = (
  path: `/${string}`,
  summary: string,
  errors: NonNullable<Endpoint['errors']>,
  more: Partial<Pick<Endpoint, 'params' | 'query' | 'data'>> = {},
): Endpoint =>
  endpoint({
    method: 'POST',
    path,
    summary,
    access: 'errlog:write',
    narrowed: true,
    unknownInput: 'open_body',
    uncounted: true,
    data: z.unknown(),
    errors: ['body_missing', 'unsupported_media_type', 'too_large', ...errors],
    ...more,
  });

/** Outside the contract: OpenTelemetry. */
export const OTLP_LOGS = forSenders('/v1/logs', 'OpenTelemetry logs: OTLP/HTTP in JSON or protobuf', [
  'malformed_json',
  'quota_exceeded',
]);

/** Outside the contract: Loki, which answers without content. */
export const LOKI_PUSH = forSenders(
  '/loki/api/v1/push',
  'Log lines of senders for Loki: JSON, or protobuf with Snappy',
  ['malformed_json', 'nothing_accepted', 'quota_exceeded'],
  { data: z.undefined() },
);

/** Parameters of the bulk API. They have no effect: nothing is changed, and the answer is always whole. */
const BULK_PARAMETERS = [
  ...[
    'error_trace',
    'filter_path',
    'human',
    'include_source_on_error',
    'list_executed_pipelines',
    'pipeline',
    'pretty',
  ],
  ...['refresh', 'require_alias', 'require_data_stream', 'routing', 'timeout', 'type', 'wait_for_active_shards'],
] as const;

const bulk = (path: `/${string}`, more: Parameters<typeof forSenders>[3] = {}): Endpoint =>
  forSenders(
    path,
    'Log lines of senders for Elasticsearch: a bulk request, whose documents become lines',
    ['bad_request', 'nothing_accepted', 'idempotency_conflict', 'quota_exceeded'],
    {
      query: z.object(
        Object.fromEntries(
          BULK_PARAMETERS.map((name) => [
            name,
            z.string().optional().meta({ description: 'Of Elasticsearch; no effect' }),
          ]),
        ),
      ),
      ...more,
    },
  );

/** Outside the contract: Elasticsearch. */
export const BULK = bulk('/_bulk');
/** The same with an index for the actions that name none. */
export const BULK_OF_INDEX = bulk('/{index}/_bulk', { params: z.object({ index: z.string().max(255) }) });

const SENTRY_PARAMETERS = z.object({
  sentry_key: z.string().optional().meta({ description: 'The key of the DSN' }),
  sentry_version: z.string().optional().meta({ description: 'Of the protocol; no effect' }),
  sentry_client: z.string().optional().meta({ description: 'Name and version of the SDK; no effect' }),
  sentry_timestamp: z.string().optional().meta({ description: 'Time of sending; no effect' }),
});

const sentry = (path: `/${string}`, summary: string): Endpoint =>
  forSenders(path, summary, ['bad_request', 'malformed_json', 'nothing_accepted', 'rate_limited'], {
    params: z.object({ project: z.string().max(255) }),
    query: SENTRY_PARAMETERS,
  });

/** Outside the contract: Sentry. */
export const SENTRY_ENVELOPE = sentry(
  '/api/{project}/envelope',
  "Events and logs of Sentry's SDKs: an envelope, with the key of a DSN",
);
/** The same of older SDKs: one event. */
export const SENTRY_STORE = sentry('/api/{project}/store', "One event of Sentry's SDKs, with the key of a DSN");

/** Largest event of PagerDuty: most have 3 KB. */
const CALLBACK_MAX = 65_536;

/** Outside the contract: PagerDuty defines its input, and signs it. */
export const CALLBACK = endpoint({
  method: 'POST',
  path: '/admin-api/webhook/{id}/callback',
  summary: 'Acknowledgements of PagerDuty, by its V3 webhooks; the header X-PagerDuty-Signature is the credential',
  access: 'public',
  unknownInput: 'open_body',
  params: z.object({ id: queryInt(1) }),
  bodyLimit: CALLBACK_MAX,
  uncounted: true,
  data: z.undefined(),
  errors: ['not_found', 'too_large'],
});

const ByProvider = z.object({ provider: z.string().max(64) });

/** Outside the contract: a browser opens it, and is sent on to the provider. */
export const OIDC_START = endpoint({
  method: 'GET',
  path: '/auth/oidc/{provider}',
  summary: 'Sign in with a provider (OpenID Connect): sends a browser on to it',
  access: 'public',
  params: ByProvider,
  query: z.object({
    to: z.string().max(2000).optional().meta({ description: 'Path of this server to go to afterwards; default /' }),
    purpose: z.enum(FLOW_PURPOSES).default('sign_in').meta({
      description:
        'link: let the person of the provider sign in as the user of this session. confirm: confirm this session',
    }),
  }),
  data: z.undefined(),
  errors: [
    'credential_missing',
    'credential_invalid',
    'session_expired',
    'not_found',
    'reauthentication_required',
    'identity_unavailable',
  ],
});

/** Outside the contract: the provider sends a browser back to it, with parameters that OpenID Connect defines. */
export const OIDC_CALLBACK = endpoint({
  method: 'GET',
  path: '/auth/oidc/{provider}/callback',
  summary: 'The answer of a provider to a sign-in: sets the cookie of the session',
  access: 'public',
  // Providers add parameters of their own, such as session_state.
  unknownInput: 'ignored',
  params: ByProvider,
  query: z.object({
    state: z.string().max(200).meta({ description: 'As this server has sent it' }),
    code: z.string().max(8000).optional(),
    iss: z.string().max(500).optional().meta({ description: 'Issuer (RFC 9207)' }),
    error: z.string().max(200).optional(),
  }),
  data: z.undefined(),
  errors: [
    'bad_request',
    'session_expired',
    'not_found',
    'forbidden',
    'conflict',
    'too_many_requests',
    'identity_unavailable',
  ],
});

/** Outside the contract: a browser opens it after the sign-out here, and is sent on to the provider. */
export const OIDC_SIGN_OUT = endpoint({
  method: 'GET',
  path: '/auth/oidc/{provider}/logout',
  summary: 'Sign out at a provider: sends a browser on to it, or to the sign-in where the provider has no sign-out',
  access: 'public',
  params: ByProvider,
  data: z.undefined(),
  errors: ['not_found', 'identity_unavailable'],
});

/** Outside the contract: OpenID Connect defines its input. */
export const OIDC_LOGOUT = endpoint({
  method: 'POST',
  path: '/auth/oidc/{provider}/backchannel-logout',
  summary: 'A provider ends the sessions of a person (OpenID Connect Back-Channel Logout); the token is the credential',
  access: 'public',
  unknownInput: 'open_body',
  params: ByProvider,
  bodyLimit: 64 * 1024,
  uncounted: true,
  data: z.undefined(),
  errors: ['bad_request', 'not_found', 'too_large', 'unsupported_media_type', 'identity_unavailable'],
});

/** Outside the contract: Prometheus defines its answer. */
export const METRICS = endpoint({
  method: 'GET',
  path: '/metrics',
  summary: 'Metrics in the text format of Prometheus',
  access: 'metrics:read',
  // Collectors add parameters of their own, and none changes what is shown.
  unknownInput: 'ignored',
  data: z.string(),
});

/** Outside the contract: the Model Context Protocol defines its input and its answer. */
export const MCP = endpoint({
  method: 'POST',
  path: '/mcp',
  summary: 'Tools for assistants: the Model Context Protocol over streamable HTTP',
  access: 'api_token',
  narrowed: true,
  unknownInput: 'open_body',
  // Most calls read. A tool that writes is counted as the request that it makes.
  uncounted: true,
  body: z.record(z.string(), z.unknown()),
  data: z.unknown(),
});

/** All of them, by name. */
export const RAW_ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  events: EVENTS,
  export: EXPORT,
  lineExport: LINE_EXPORT,
  auditExport: AUDIT_EXPORT,
  otlp: OTLP_LOGS,
  loki: LOKI_PUSH,
  bulk: BULK,
  bulkOfIndex: BULK_OF_INDEX,
  sentryEnvelope: SENTRY_ENVELOPE,
  sentryStore: SENTRY_STORE,
  webhookCallback: CALLBACK,
  oidcStart: OIDC_START,
  oidcCallback: OIDC_CALLBACK,
  oidcSignOut: OIDC_SIGN_OUT,
  oidcLogout: OIDC_LOGOUT,
  metrics: METRICS,
  mcp: MCP,
};

const Done = z.object({ status: z.literal(0) });
const Place = z.string();
const Places = z.object({
  status: z.literal(0),
  time: z.int(),
  data: z.object({ docs: Place, openapi: Place, health: Place, ready: Place }),
});
// Probes, browsers and links add parameters of their own. A refusal would take a healthy server out of service.
const open = (path: `/${string}`, summary: string, data: z.ZodType): Endpoint =>
  endpoint({ method: 'GET', path, summary, access: 'public', unknownInput: 'ignored', data });

/** Outside the contract and open to anybody: health and documentation. */
export const OPEN_ENDPOINTS = [
  {
    name: 'root',
    type: 'application/json',
    endpoint: open('/', 'Where things are; for browsers, the page or a redirect to /docs', Places),
  },
  { name: 'health', type: 'application/json', endpoint: open('/healthz', 'The process is up', Done) },
  {
    name: 'ready',
    type: 'application/json',
    endpoint: open('/readyz', 'The database answers, and the server is not stopping', Done),
  },
  {
    name: 'openapi',
    type: 'application/json',
    endpoint: open('/openapi.json', 'This document', z.record(z.string(), z.unknown())),
  },
  { name: 'docs', type: 'text/html', endpoint: open('/docs', 'This document as a page for people', z.string()) },
] as const;
