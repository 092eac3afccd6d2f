// Operations of a contract.
import {
  type Access,
  accessText,
  type Contract,
  type Endpoint,
  isConfirmedAccess,
  isOpenBody,
} from '@quarterdeck/core';
import { z } from 'zod';
import { type FailureRules, failureRefs } from './failures.ts';
import { headerParameters, isVersionedRead, successHeaders } from './headers.ts';
import type { SchemaWriter } from './schemas.ts';
import type { Content, Operation, Paths, Ref } from './types.ts';

const JSON_TYPE = 'application/json';
const NDJSON_TYPE = 'application/x-ndjson';

/** Converter, rules and schemas of the operations of a document. */
export interface OperationTools {
  readonly schemas: SchemaWriter;
  readonly rules: FailureRules;
  /** Schema of a line, for endpoints that take lines. */
  readonly line?: z.ZodType | undefined;
}

/** Operations of a contract, by path. */
export function contractPaths(contract: Contract, tools: OperationTools): Paths {
  const paths: Paths = {};
  for (const [noun, table] of Object.entries(contract)) {
    for (const [verb, endpoint] of Object.entries(table)) {
      const path = paths[endpoint.path] ?? {};
      paths[endpoint.path] = path;
      for (const method of [endpoint.method, endpoint.alsoMethod]) {
        if (method !== undefined) path[method.toLowerCase()] = operation(tools, `${noun}_${verb}`, endpoint, method);
      }
    }
  }
  return paths;
}

function operation(tools: OperationTools, id: string, endpoint: Endpoint, method: string): Operation {
  const { body } = endpoint;
  const { schemas, rules } = tools;
  const headers = successHeaders(endpoint, rules.isCounted(endpoint));
  const [noun = ''] = id.split('_');
  return {
    ...head(schemas, method === endpoint.method ? id : `${id}_${method.toLowerCase()}`, noun, endpoint),
    ...(body === undefined
      ? {}
      : { requestBody: { required: endpoint.bodyOptional !== true, content: bodyContent(tools, endpoint, body) } }),
    responses: {
      '200': {
        description: 'Done',
        headers,
        content: { [JSON_TYPE]: { schema: schemas.output(envelope(endpoint)) } },
      },
      ...(isVersionedRead(endpoint)
        ? { '304': { description: 'If-None-Match names the present version', headers, content: {} } }
        : {}),
      ...failureRefs(endpoint, rules),
    },
  };
}

/** The parts of an operation that do not depend on its bodies. */
export function head(
  schemas: SchemaWriter,
  operationId: string,
  tag: string,
  endpoint: Endpoint,
  moreHeaders: readonly Ref[] = [],
) {
  const parameters = [
    ...schemas.parameters('path', endpoint.params),
    ...schemas.parameters('query', endpoint.query),
    ...headerParameters(endpoint),
    ...moreHeaders,
  ];
  return {
    operationId,
    tags: [tag],
    summary: endpoint.summary,
    description: accessText(endpoint.access),
    security: security(endpoint.access),
    ...(endpoint.deprecated === undefined ? {} : { deprecated: true }),
    ...(parameters.length === 0 ? {} : { parameters }),
  };
}

function bodyContent({ schemas, line }: OperationTools, endpoint: Endpoint, body: z.ZodType): Content {
  const isClosed = !isOpenBody(endpoint) && endpoint.unknownInput !== 'ignored';
  const schema = isClosed ? schemas.closedInput(body) : schemas.input(body);
  if (endpoint.consumes !== 'lines' || line === undefined) return { [JSON_TYPE]: { schema } };
  const contentSchema = schemas.input(line);
  const lines = { type: 'string', description: 'One object a line', contentMediaType: NDJSON_TYPE, contentSchema };
  return { [JSON_TYPE]: { schema }, [NDJSON_TYPE]: { schema: lines } };
}

const time = z.int().meta({ description: 'Unix seconds' });

/** Envelope of a success: wire contract section 1. */
const envelope = ({ data, msg }: Endpoint) =>
  data instanceof z.ZodUndefined
    ? z.object({ status: z.literal(0) })
    : z.object({ status: z.literal(0), ...(msg === undefined ? {} : { msg: z.string() }), time, data });

/** Security schemes of the document. */
export const SECURITY_SCHEMES = {
  session: { type: 'apiKey', in: 'header', name: 'edge-token', description: 'Session token, from a login' },
  apiToken: { type: 'apiKey', in: 'header', name: 'API-Token', description: 'API token or an agent\u2019s secret' },
  bearer: { type: 'http', scheme: 'bearer', description: 'Either' },
} as const;

/** Credentials that an endpoint accepts. */
function security(access: Access): Record<string, string[]>[] {
  if (access === 'public') return [];
  if (access === 'agent' || access === 'api_token') return [{ apiToken: [] }, { bearer: [] }];
  if (access === 'session' || isConfirmedAccess(access)) return [{ session: [] }, { bearer: [] }];
  return [{ session: [] }, { apiToken: [] }, { bearer: [] }];
}
