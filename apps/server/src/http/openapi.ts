// The OpenAPI 3.1 document of the contract.
import {
  type Access,
  type Contract,
  contract,
  type Endpoint,
  ERRORS,
  type ErrorCode,
  Failure,
  isConfirmedAccess,
  permissionFor,
} from '@quarterdeck/core';
import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { VERSION } from '../version.ts';
import { RAW_ENDPOINTS } from './raw-endpoints.ts';

const JSON_TYPE = 'application/json';
const NDJSON_TYPE = 'application/x-ndjson';

/** A schema with an id is in the document once. */
const AnyFailure = Failure.meta({ id: 'Failure', description: 'Any failure. `status` is the HTTP status.' });

let made: ReturnType<typeof createDocument> | undefined;

/** Returns the document. The first call generates it. */
export function openApiDocument(): ReturnType<typeof createDocument> {
  made ??= createDocument({
    openapi: '3.1.1',
    info: {
      title: 'Quarterdeck',
      version: VERSION,
      description:
        'Administration and console API. Every path answers with and without a trailing slash. ' +
        '/api/v1/<path> is the same as /admin-api/<path>, except that failures come as HTTP 200 with a non-zero status.',
    },
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'header', name: 'edge-token', description: 'Session token, from a login' },
        apiToken: {
          type: 'apiKey',
          in: 'header',
          name: 'API-Token',
          description: 'API token or an agent\u2019s secret',
        },
        bearer: { type: 'http', scheme: 'bearer', description: 'Either' },
      },
    },
    paths: paths(),
  });
  return made;
}

let bytes: Buffer | undefined;

/** Returns the document as JSON in UTF-8. It is public, so an answer must cost nothing. */
export function openApiBytes(): Buffer {
  bytes ??= Buffer.from(JSON.stringify(openApiDocument()));
  return bytes;
}

function paths(): ZodOpenApiPathsObject {
  const all: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const [noun, table] of Object.entries(contract as Contract)) {
    for (const [verb, endpoint] of Object.entries(table)) {
      const path = all[endpoint.path] ?? {};
      all[endpoint.path] = path;
      for (const method of [endpoint.method, endpoint.alsoMethod]) {
        if (method !== undefined) path[method.toLowerCase()] = operation(noun, verb, endpoint, method);
      }
    }
  }
  for (const [name, endpoint] of Object.entries(RAW_ENDPOINTS)) {
    all[endpoint.path] = { [endpoint.method.toLowerCase()]: rawOperation(name, endpoint) };
  }
  return all;
}

function operation(noun: string, verb: string, endpoint: Endpoint, method: string): ZodOpenApiOperationObject {
  const { params, query, body } = endpoint;
  const suffix = method === endpoint.method ? '' : `_${method.toLowerCase()}`;
  return {
    operationId: `${noun}_${verb}${suffix}`,
    tags: [noun],
    summary: endpoint.summary,
    description: accessText(endpoint.access),
    security: security(endpoint.access),
    ...(params === undefined && query === undefined
      ? {}
      : {
          requestParams: {
            ...(params === undefined ? {} : { path: params as z.ZodObject }),
            ...(query === undefined ? {} : { query: query as z.ZodObject }),
          },
        }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: endpoint.bodyOptional !== true, content: bodyContent(endpoint, body) } }),
    responses: { '200': success(endpoint), ...failures(endpoint) },
  };
}

const bodyContent = (endpoint: Endpoint, schema: z.ZodType) => ({
  [JSON_TYPE]: { schema },
  ...(endpoint.consumes === 'lines'
    ? { [NDJSON_TYPE]: { schema: { type: 'string' as const, description: 'One such object a line' } } }
    : {}),
});

/** Access to an endpoint, as a sentence. */
export function accessText(access: Access): string {
  if (access === 'public') return 'Open to anybody.';
  if (access === 'signed_in') return 'For anybody who is signed in.';
  if (access === 'agent') return 'For the agent itself, with its secret.';
  if (access === 'session') return 'For sessions only.';
  if (access === 'api_token') return 'For API tokens only.';
  const needs = `Needs the permission \`${permissionFor(access)}\``;
  if (!isConfirmedAccess(access)) return `${needs}.`;
  return `${needs}, and a session that signed in or confirmed itself within the last 10 minutes.`;
}

const security = (access: Access) => {
  if (access === 'public') return [];
  if (access === 'agent' || access === 'api_token') return [{ apiToken: [] }, { bearer: [] }];
  if (access === 'session' || isConfirmedAccess(access)) return [{ session: [] }, { bearer: [] }];
  return [{ session: [] }, { apiToken: [] }, { bearer: [] }];
};

const time = z.int().meta({ description: 'Unix seconds' });

const RATE_HEADERS = z.object({
  RateLimit: z.string().meta({ examples: ['"write";r=499;t=1'] }),
  'RateLimit-Policy': z.string().meta({ examples: ['"write";q=500;w=10'] }),
});

function success(endpoint: Endpoint) {
  const body =
    endpoint.data instanceof z.ZodUndefined
      ? z.object({ status: z.literal(0) })
      : z.object({
          status: z.literal(0),
          ...(endpoint.msg === undefined ? {} : { msg: z.string() }),
          time,
          data: endpoint.data,
        });
  return {
    description: 'Done',
    ...(endpoint.bareList ? { headers: z.object({ 'X-Total-Count': z.int() }) } : {}),
    ...(isCounted(endpoint) ? { headers: RATE_HEADERS } : {}),
    content: { [JSON_TYPE]: { schema: body } },
  };
}

/** True if a request counts against the write rate of its credential. */
const isCounted = ({ method, access, uncounted }: Endpoint) => method !== 'GET' && access !== 'public' && !uncounted;

/** Error codes of an endpoint: those of all endpoints, and its own. */
function failures(endpoint: Endpoint) {
  const codes = new Set<ErrorCode>(['internal', 'database_busy', 'database_unavailable', ...(endpoint.errors ?? [])]);
  if (endpoint.access !== 'public') {
    for (const code of ['credential_missing', 'credential_invalid', 'session_expired', 'token_expired'] as const) {
      codes.add(code);
    }
    if (endpoint.access !== 'signed_in') codes.add('forbidden');
    if (isConfirmedAccess(endpoint.access)) codes.add('reauthentication_required');
  }
  if (isCounted(endpoint)) codes.add('rate_limited');
  if (endpoint.params ?? endpoint.query ?? endpoint.body) codes.add('validation_failed');
  if (endpoint.body !== undefined) for (const code of ['malformed_json', 'too_large'] as const) codes.add(code);
  if (endpoint.body !== undefined && endpoint.bodyOptional !== true) codes.add('body_missing');
  if (endpoint.body !== undefined && endpoint.consumes !== 'any_type') codes.add('unsupported_media_type');

  const byStatus = Map.groupBy(codes, (code) => ERRORS[code].status);
  return Object.fromEntries(
    [...byStatus].sort().map(([status, group]) => [
      String(status),
      {
        description: group.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join('\n\n'),
        content: { [JSON_TYPE]: { schema: AnyFailure } },
      },
    ]),
  );
}

const RAW_TYPES: Readonly<Record<string, string>> = {
  events: 'text/event-stream',
  export: 'application/x-ndjson',
  otlp: JSON_TYPE,
  metrics: 'text/plain',
};

/** An endpoint outside the contract: its answer has no envelope. */
function rawOperation(name: string, endpoint: Endpoint): ZodOpenApiOperationObject {
  const type = RAW_TYPES[name] ?? JSON_TYPE;
  return {
    operationId: name,
    tags: [name === 'events' ? 'event' : name === 'metrics' ? 'system' : 'errlog'],
    summary: endpoint.summary,
    ...(name === 'events'
      ? { description: 'For anybody who is signed in; shows what they may read. Send Last-Event-ID to catch up.' }
      : {}),
    security: security(endpoint.access),
    requestParams: {
      ...(endpoint.query === undefined ? {} : { query: endpoint.query as z.ZodObject }),
      ...(name === 'events' ? { header: z.object({ 'Last-Event-ID': z.string().optional() }) } : {}),
    },
    ...(name === 'otlp'
      ? { requestBody: { required: true, content: { [JSON_TYPE]: {}, 'application/x-protobuf': {} } } }
      : {}),
    responses: {
      '200': { description: 'Done', content: { [type]: { schema: { type: 'string' } } } },
      ...failures(endpoint),
    },
  };
}
