// Operations of the routes outside the contract, whose answers have no envelope.
import { AuditEntry, type Endpoint, ErrlogEntry, Line } from '@quarterdeck/core';
import {
  type Content,
  failureRefs,
  head,
  type JsonSchema,
  type Operation,
  type OperationTools,
  type Paths,
  type Ref,
  type SchemaWriter,
  successHeaders,
} from '@quarterdeck/express/openapi';
import { z } from 'zod';
import {
  AUDIT_EXPORT,
  BULK,
  BULK_OF_INDEX,
  CALLBACK,
  EVENTS,
  EXPORT,
  LINE_EXPORT,
  LOKI_PUSH,
  MCP,
  METRICS,
  OIDC_CALLBACK,
  OIDC_LOGOUT,
  OIDC_SIGN_OUT,
  OIDC_START,
  OPEN_ENDPOINTS,
  OTLP_LOGS,
  SENTRY_ENVELOPE,
  SENTRY_STORE,
} from '../endpoints/raw-endpoints.ts';
import { StreamEvent } from './nouns.ts';
import type { Tag } from './tags.ts';

/** Text in pieces, each of which has a schema of its own. */
const textOf = (type: string, description: string, contentSchema: JsonSchema): Content => ({
  [type]: { schema: { type: 'string', description, contentMediaType: type, contentSchema } },
});

const CSV: Content = { 'text/csv': { schema: { type: 'string', description: 'A line of names, then a line a row' } } };

const PROTOBUF: Content = {
  'application/x-protobuf': { schema: { type: 'string', contentMediaType: 'application/x-protobuf' } },
};
const OTLP = { url: 'https://opentelemetry.io/docs/specs/otlp/', description: 'Specification of OTLP' };

/** Request of OpenTelemetry, which defines its parts. */
const OtlpRequest = z.looseObject({ resourceLogs: z.array(z.looseObject({})).optional() });

/** Answer of OpenTelemetry. */
const OtlpAnswer = z.object({
  partialSuccess: z
    .object({
      rejectedLogRecords: z.string().meta({ description: 'Number of records that were not stored' }),
      errorMessage: z.string(),
    })
    .optional()
    .meta({ description: 'Absent when everything was stored as sent' }),
});

const LOKI = {
  url: 'https://grafana.com/docs/loki/latest/reference/loki-http-api/#ingest-logs',
  description: 'Reference of the API of Loki',
};

/** Request of Loki, which also takes the form of its first versions. */
const LokiPush = z.looseObject({
  streams: z.array(
    z.looseObject({
      stream: z.record(z.string(), z.string()).optional().meta({ description: 'Labels of its entries' }),
      values: z
        .array(z.array(z.unknown()))
        .optional()
        .meta({ description: 'Time in nanoseconds, line, and structured metadata' }),
    }),
  ),
});

const ELASTIC = {
  url: 'https://www.elastic.co/docs/api/doc/elasticsearch/operation/operation-bulk',
  description: 'Reference of the bulk API of Elasticsearch',
};

const ELASTIC_TYPE = 'application/vnd.elasticsearch+json';
const elasticContent = (schema: JsonSchema): Content => ({
  'application/json': { schema },
  [ELASTIC_TYPE]: { schema },
});
/** Answer of Elasticsearch, with an item for each action. */
const BulkAnswer = z.object({
  took: z.int().meta({ description: 'Milliseconds' }),
  errors: z.boolean(),
  items: z.array(z.record(z.string(), z.looseObject({ status: z.int() }))),
});

const SENTRY = {
  url: 'https://develop.sentry.dev/sdk/data-model/envelopes/',
  description: 'Description of envelopes',
};
const SentryAnswer = z.object({ id: z.string().optional().meta({ description: 'Id of the event' }) });

const PAGERDUTY = {
  url: 'https://developer.pagerduty.com/docs/webhooks-overview',
  description: 'Reference of the V3 webhooks of PagerDuty',
};

/** Request of PagerDuty, which has more fields. */
const PagerdutyEvent = z.looseObject({ event: z.looseObject({ event_type: z.string() }) });

const OIDC = { url: 'https://openid.net/developers/specs/', description: 'Specifications of OpenID Connect' };
const LogoutRequest = z.object({ logout_token: z.string() });

/** Routes that send a browser on. */
const REDIRECTS = [
  { id: 'user_oidc_start', endpoint: OIDC_START },
  { id: 'user_oidc_callback', endpoint: OIDC_CALLBACK },
  { id: 'user_oidc_sign_out', endpoint: OIDC_SIGN_OUT },
] as const;

const MCP_DOCS = { url: 'https://modelcontextprotocol.io/specification', description: 'Specification of MCP' };

/** Message of JSON-RPC, whose method decides the rest. */
const JsonRpcRequest = z.looseObject({ jsonrpc: z.literal('2.0'), method: z.string() });
/** Answer of JSON-RPC: `result` or `error`. */
const JsonRpcAnswer = z.looseObject({ jsonrpc: z.literal('2.0') });

/** One operation without its failures. */
interface RawOperation {
  readonly id: `${Tag}_${string}`;
  readonly endpoint: Endpoint;
  readonly content: Content;
  /** Status of the success; 200 if absent. */
  readonly status?: '204' | '303';
  /** Headers that it accepts. */
  readonly headers?: readonly Ref[];
  readonly more?: Partial<Operation>;
  /** Answers beside the usual ones. */
  readonly answers?: Operation['responses'];
}

/** Answer to a notification of the Model Context Protocol. */
const ACCEPTED = {
  '202': {
    description: 'A notification, which has no answer',
    headers: successHeaders(MCP, false),
    content: { 'text/plain': { schema: { type: 'string', description: 'Empty' }, example: '' } },
  },
};

function operations({ input, output }: SchemaWriter): RawOperation[] {
  return [
    {
      id: 'event_stream',
      endpoint: EVENTS,
      content: textOf('text/event-stream', 'Server-sent events', output(StreamEvent)),
      headers: [{ $ref: '#/components/parameters/Last-Event-ID' }],
      more: {
        description: 'For anybody who is signed in; shows what they may read. Send Last-Event-ID to catch up.',
      },
    },
    {
      id: 'errlog_export',
      endpoint: EXPORT,
      content: { ...textOf('application/x-ndjson', 'One group a line', output(ErrlogEntry)), ...CSV },
    },
    {
      id: 'line_export',
      endpoint: LINE_EXPORT,
      content: { ...textOf('application/x-ndjson', 'One stored line a line', output(Line)), ...CSV },
    },
    {
      id: 'audit_export',
      endpoint: AUDIT_EXPORT,
      content: textOf('application/x-ndjson', 'One entry a line', output(AuditEntry)),
    },
    {
      id: 'line_otlp',
      endpoint: OTLP_LOGS,
      content: { 'application/json': { schema: output(OtlpAnswer) }, ...PROTOBUF },
      more: {
        externalDocs: OTLP,
        requestBody: { required: true, content: { 'application/json': { schema: input(OtlpRequest) }, ...PROTOBUF } },
      },
    },
    {
      id: 'line_loki',
      endpoint: LOKI_PUSH,
      content: {},
      status: '204',
      more: {
        externalDocs: LOKI,
        requestBody: { required: true, content: { 'application/json': { schema: input(LokiPush) }, ...PROTOBUF } },
      },
    },
    ...[BULK, BULK_OF_INDEX].map(
      (endpoint): RawOperation => ({
        id: endpoint === BULK ? 'line_bulk' : 'line_bulk_of_index',
        endpoint,
        content: elasticContent(output(BulkAnswer)),
        more: {
          externalDocs: ELASTIC,
          requestBody: {
            required: true,
            content: textOf('application/x-ndjson', 'An action and its document in turn', { type: 'object' }),
          },
        },
      }),
    ),
    {
      id: 'line_sentry',
      endpoint: SENTRY_ENVELOPE,
      content: { 'application/json': { schema: output(SentryAnswer) } },
      more: {
        externalDocs: SENTRY,
        requestBody: {
          required: true,
          content: textOf('application/x-sentry-envelope', 'A header, then items', { type: 'object' }),
        },
      },
    },
    {
      id: 'line_sentry_store',
      endpoint: SENTRY_STORE,
      content: { 'application/json': { schema: output(SentryAnswer) } },
      more: {
        externalDocs: SENTRY,
        requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
      },
    },
    {
      id: 'webhook_callback',
      endpoint: CALLBACK,
      content: {},
      status: '204',
      more: {
        externalDocs: PAGERDUTY,
        requestBody: { required: true, content: { 'application/json': { schema: input(PagerdutyEvent) } } },
      },
    },
    ...REDIRECTS.map(
      ({ id, endpoint }): RawOperation => ({
        id,
        endpoint,
        content: { 'text/plain': { schema: { type: 'string', description: 'Empty' }, example: '' } },
        status: '303',
        more: { externalDocs: OIDC },
      }),
    ),
    {
      id: 'user_oidc_backchannel_logout',
      endpoint: OIDC_LOGOUT,
      content: { 'application/json': { schema: output(z.object({ status: z.literal(0) })) } },
      more: {
        externalDocs: OIDC,
        requestBody: {
          required: true,
          content: { 'application/x-www-form-urlencoded': { schema: input(LogoutRequest) } },
        },
      },
    },
    {
      id: 'system_metrics',
      endpoint: METRICS,
      content: { 'text/plain': { schema: { type: 'string', description: 'Text format of Prometheus' } } },
    },
    {
      id: 'system_mcp',
      endpoint: MCP,
      content: {
        'application/json': { schema: output(JsonRpcAnswer) },
        'text/event-stream': { schema: { type: 'string', description: 'The same as the data of one event' } },
      },
      more: {
        description:
          'For API tokens, whose scopes limit the tools. Errors of the protocol itself have the form of JSON-RPC, also ' +
          'with a status of 400, 404 or 406.',
        externalDocs: MCP_DOCS,
        requestBody: { required: true, content: { 'application/json': { schema: input(JsonRpcRequest) } } },
      },
      answers: ACCEPTED,
    },
    ...OPEN_ENDPOINTS.map(
      ({ name, type, endpoint }): RawOperation => ({
        id: `system_${name}`,
        endpoint,
        content: {
          [type]: { schema: output(endpoint.data) },
          ...(name === 'root' && {
            [ELASTIC_TYPE]: { schema: { type: 'object' } },
            'text/html': { schema: { type: 'string', description: 'The page, for browsers' } },
          }),
        },
      }),
    ),
  ];
}

const REQUEST_ID = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } };
const LOCATION = { ...REQUEST_ID, Location: { $ref: '#/components/headers/Location' } };

const FOR_BROWSERS = {
  '302': {
    description: 'To the documentation, where the server has no page',
    headers: LOCATION,
    content: { 'text/html': { schema: { type: 'string' } } },
  },
  '304': {
    description: 'The browser has the page',
    headers: { ...REQUEST_ID, ETag: { $ref: '#/components/headers/ETag' } },
    content: {},
  },
};

/** Operations of the routes outside the contract, by path. */
export function rawPaths({ schemas, rules }: OperationTools): Paths {
  return Object.fromEntries(
    operations(schemas).map(({ id, endpoint, content, status = '200', headers, more, answers }) => {
      const [tag = ''] = id.split('_');
      const operation = {
        ...head(schemas, id, tag, endpoint, headers),
        ...more,
        responses: {
          [status]: {
            description: 'Done',
            headers: status === '303' ? LOCATION : successHeaders(endpoint, rules.isCounted(endpoint)),
            content,
          },
          ...(id === 'system_root' ? FOR_BROWSERS : {}),
          ...failureRefs(endpoint, rules),
          ...answers,
        },
      };
      return [endpoint.path, { [endpoint.method.toLowerCase()]: operation }];
    }),
  );
}
