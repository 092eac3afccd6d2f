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

const json = (schema: JsonSchema): Content => ({ 'application/json': { schema } });

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

const MCP_DOCS = { url: 'https://modelcontextprotocol.io/specification', description: 'Specification of MCP' };

/** Message of JSON-RPC, whose method decides the rest. */
const JsonRpcRequest = z.looseObject({ jsonrpc: z.literal('2.0'), method: z.string() });
/** Answer of JSON-RPC: `result` or `error`. */
const JsonRpcAnswer = z.looseObject({ jsonrpc: z.literal('2.0') });

/** One operation without its failures. */
interface RawOperation {
  readonly id: `${Tag}_${string}`;
  readonly endpoint: Endpoint;
  /** Content of the success; empty if absent. */
  readonly content?: Content;
  /** Status of the success; 200 if absent. */
  readonly status?: '204' | '303';
  /** Headers that it accepts. */
  readonly headers?: readonly Ref[];
  readonly description?: string;
  /** Document that defines the operation. */
  readonly specification?: { readonly url: string; readonly description: string };
  readonly body?: Content;
  /** Answers beside the usual ones. */
  readonly answers?: Operation['responses'];
}

const EMPTY: Content = { 'text/plain': { schema: { type: 'string', description: 'Empty' }, example: '' } };

/** Answer to a notification of the Model Context Protocol. */
const ACCEPTED = {
  '202': {
    description: 'A notification, which has no answer',
    headers: successHeaders(MCP, false),
    content: EMPTY,
  },
};

function operations({ input, output }: SchemaWriter): RawOperation[] {
  const sentryAnswer = json(output(SentryAnswer));
  const bulk = {
    content: { ...json(output(BulkAnswer)), [ELASTIC_TYPE]: { schema: output(BulkAnswer) } },
    specification: ELASTIC,
    body: textOf('application/x-ndjson', 'An action and its document in turn', { type: 'object' }),
  };
  const redirect = { content: EMPTY, status: '303', specification: OIDC } as const;
  return [
    {
      id: 'event_stream',
      endpoint: EVENTS,
      content: textOf('text/event-stream', 'Server-sent events', output(StreamEvent)),
      headers: [{ $ref: '#/components/parameters/Last-Event-ID' }],
      description: 'For anybody who is signed in; shows what they may read. Send Last-Event-ID to catch up.',
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
      content: { ...json(output(OtlpAnswer)), ...PROTOBUF },
      specification: OTLP,
      body: { ...json(input(OtlpRequest)), ...PROTOBUF },
    },
    {
      id: 'line_loki',
      endpoint: LOKI_PUSH,
      status: '204',
      specification: LOKI,
      body: { ...json(input(LokiPush)), ...PROTOBUF },
    },
    { id: 'line_bulk', endpoint: BULK, ...bulk },
    { id: 'line_bulk_of_index', endpoint: BULK_OF_INDEX, ...bulk },
    {
      id: 'line_sentry',
      endpoint: SENTRY_ENVELOPE,
      content: sentryAnswer,
      specification: SENTRY,
      body: textOf('application/x-sentry-envelope', 'A header, then items', { type: 'object' }),
    },
    {
      id: 'line_sentry_store',
      endpoint: SENTRY_STORE,
      content: sentryAnswer,
      specification: SENTRY,
      body: json({ type: 'object' }),
    },
    {
      id: 'webhook_callback',
      endpoint: CALLBACK,
      status: '204',
      specification: PAGERDUTY,
      body: json(input(PagerdutyEvent)),
    },
    { id: 'user_oidc_start', endpoint: OIDC_START, ...redirect },
    { id: 'user_oidc_callback', endpoint: OIDC_CALLBACK, ...redirect },
    { id: 'user_oidc_sign_out', endpoint: OIDC_SIGN_OUT, ...redirect },
    {
      id: 'user_oidc_backchannel_logout',
      endpoint: OIDC_LOGOUT,
      content: json(output(z.object({ status: z.literal(0) }))),
      specification: OIDC,
      body: { 'application/x-www-form-urlencoded': { schema: input(LogoutRequest) } },
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
        ...json(output(JsonRpcAnswer)),
        'text/event-stream': { schema: { type: 'string', description: 'The same as the data of one event' } },
      },
      description:
        'For API tokens, whose scopes limit the tools. Errors of the protocol itself have the form of JSON-RPC, also ' +
        'with a status of 400, 404 or 406.',
      specification: MCP_DOCS,
      body: json(input(JsonRpcRequest)),
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
    operations(schemas).map((one) => {
      const { id, endpoint, content = {}, status = '200', headers, description, specification, body, answers } = one;
      const [tag = ''] = id.split('_');
      const operation = {
        ...head(schemas, id, tag, endpoint, headers),
        ...(description && { description }),
        ...(specification && { externalDocs: specification }),
        ...(body && { requestBody: { required: true, content: body } }),
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
