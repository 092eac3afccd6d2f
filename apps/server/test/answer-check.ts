// Compares answers with the OpenAPI document: status, media type, headers and body. Fields and headers that the
// document lacks are problems too, although it lets later versions add some.
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type ErrorCode, wireCode } from '@quarterdeck/core';
import type { ApiResponse, JsonSchema, OpenApiDocument, Operation } from '@quarterdeck/express/openapi';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** One answer of a server. */
export interface Answered {
  readonly method: string;
  /** Path with its query, as it was requested. */
  readonly url: string;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** Undefined where there is none, or it was not read to its end. */
  readonly body: Buffer | undefined;
}

/** Headers of HTTP itself, which any answer may have. */
const GENERAL_HEADERS: ReadonlySet<string> = new Set([
  ...['access-control-allow-headers', 'access-control-allow-methods', 'access-control-allow-origin'],
  ...[
    'access-control-expose-headers',
    'access-control-max-age',
    'allow',
    'cache-control',
    'connection',
    'content-disposition',
    'content-encoding',
    'content-length',
    // Clients of Elasticsearch refuse answers without it.
    'x-elastic-product',
    // Clients of Sentry wait by it.
    'x-sentry-rate-limits',
  ],
  ...[
    'content-security-policy',
    'content-type',
    'date',
    'deprecation',
    'keep-alive',
    'referrer-policy',
    'strict-transport-security',
    'sunset',
    // Sessions of browsers.
    'set-cookie',
  ],
  ...['transfer-encoding', 'vary', 'x-accel-buffering', 'x-content-type-options'],
]);

const FAILURE = { $ref: '#/components/schemas/Failure' };

/** Lines or events of an answer that are validated. */
const PIECES_MAX = 200;

/** A header of the document. */
interface Header {
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

/** Checks answers against a document. Validators are compiled when an answer first needs them. */
export class AnswerCheck {
  readonly #document: OpenApiDocument;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
  readonly #validators = new Map<JsonSchema, ValidateFunction>();
  readonly #templates: readonly { readonly path: string; readonly pattern: RegExp }[];

  constructor(document: OpenApiDocument) {
    this.#document = document;
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      this.#ajv.addSchema(closed(schema) as object, name);
    }
    this.#templates = Object.keys(document.paths)
      .filter((path) => path.includes('{'))
      .map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }));
  }

  /** Describes the differences of an answer from the document; none if it is as documented. */
  problemsOf(answered: Answered): string[] {
    const { method, url } = answered;
    return this.#differences(answered).map((problem) => `${method} ${url}: ${answered.status}: ${problem}`);
  }

  #differences(answered: Answered): string[] {
    const type = String(answered.headers['content-type']).split(';', 1)[0] ?? '';
    const isJson = type === 'application/json' || type === 'application/problem+json';
    const json =
      isJson && answered.body !== undefined ? JSON.parse(textOf(answered.body, answered.headers)) : undefined;
    const code = json?.err?.code as string | undefined;
    const operation = this.#operationOf(answered);
    // The page for browsers is no part of the API; its root is, for programs.
    if (answered.url === '/' && (type === 'text/html' || answered.status === 304)) return [];
    // A server may answer only some of the paths.
    if (code === 'unknown_path') return this.#invalid(FAILURE, json);
    if (operation === undefined) {
      if (type === 'text/html' || answered.status === 304 || answered.url.startsWith('/assets/')) return [];
      // A preflight request of CORS is for the browser.
      if (answered.method === 'OPTIONS' && answered.status === 204) return [];
      if (answered.body === undefined && (answered.status === 404 || answered.status === 405)) return [];
      return code === undefined ? ['no such operation'] : this.#invalid(FAILURE, json);
    }
    // The official client gets failures as HTTP 200.
    const status = isCompat(answered.url) && code !== undefined ? json.status : answered.status;
    // The Model Context Protocol defines its errors.
    if (status >= 400 && json?.jsonrpc === '2.0') return [];
    const response = this.#responseOf(operation, status);
    if (response === undefined) return ['undocumented status'];
    if (status === 304 || status === 204) return this.#headerDifferences(response, answered);
    const media = response.content[type];
    if (media === undefined) return [`undocumented media type ${type}`];
    const headers = this.#headerDifferences(response, answered);
    if (answered.body === undefined) return headers;
    const documented = Object.keys(response.content['application/json']?.examples ?? {}) as ErrorCode[];
    if (code !== undefined && !documented.some((name) => wireCode(name) === code))
      return [...headers, `undocumented code ${code}`];
    const values = isJson ? [json] : piecesOf(type, answered.body);
    const schema = isJson ? media.schema : media.schema.contentSchema;
    return [...headers, ...(schema === undefined ? [] : values.flatMap((value) => this.#invalid(schema, value)))];
  }

  #operationOf({ method, url }: Answered): Operation | undefined {
    const path = documentedPath(url);
    const methods =
      this.#document.paths[path] ??
      this.#document.paths[this.#templates.find(({ pattern }) => pattern.test(path))?.path ?? ''];
    return methods?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
  }

  #responseOf(operation: Operation, status: number): ApiResponse | undefined {
    const response = operation.responses[status];
    if (response === undefined || !('$ref' in response)) return response;
    return this.#document.components.responses[response.$ref.split('/').at(-1) ?? ''];
  }

  #headerDifferences(response: ApiResponse, { headers }: Answered): string[] {
    const known = this.#document.components['headers'] as Readonly<Record<string, Header>>;
    const names = Object.keys(response.headers);
    const documented = new Set(names.map((name) => name.toLowerCase()));
    const unknown = Object.keys(headers).filter((name) => !documented.has(name) && !GENERAL_HEADERS.has(name));
    return [
      ...unknown.map((name) => `undocumented header ${name}`),
      ...names.flatMap((name) => {
        const { required, schema } = known[name] as Header;
        const value = headers[name.toLowerCase()];
        if (value === undefined) return required ? [`no header ${name}`] : [];
        return this.#invalid(schema, schema.type === 'integer' ? Number(value) : String(value));
      }),
    ];
  }

  #invalid(schema: JsonSchema, value: unknown): string[] {
    let validate = this.#validators.get(schema);
    if (validate === undefined) {
      validate = this.#ajv.compile(closed(schema) as object);
      this.#validators.set(schema, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }
}

/** Text of a body, which may be compressed. */
function textOf(body: Buffer, headers: Answered['headers']): string {
  if (headers['content-encoding'] === 'br') return brotliDecompressSync(body).toString();
  return (headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString();
}

const pathOf = (url: string) => url.replace(/^https?:\/\/[^/]*/i, '').replace(/\?.*/s, '');

const isCompat = (url: string) => pathOf(url).startsWith('/api/v1/');

/** Path of the document for a request. */
function documentedPath(url: string): string {
  const path = pathOf(url).replace(/\/$/, '') || '/';
  return path === '/version' ? '/admin-api/version' : path.replace(/^\/api\/v1\//, '/admin-api/');
}

/** A schema that refuses undocumented fields, with references to nouns by their names alone. */
function closed(schema: JsonSchema): unknown {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key === '$ref') return String(value).replace('#/components/schemas/', '');
    const isOpen =
      value?.type === 'object' && value.properties !== undefined && value.additionalProperties === undefined;
    return isOpen ? { ...value, additionalProperties: false } : value;
  });
}

/** The values of a text that consists of many. */
function piecesOf(type: string, body: Buffer): unknown[] {
  const text = body.toString();
  if (type === 'application/x-ndjson') {
    return text.split('\n', PIECES_MAX).flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  }
  if (type !== 'text/event-stream') return [];
  return text.split('\n\n', PIECES_MAX).flatMap((block) => {
    const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
    if (!fields.has('event')) return [];
    return [{ id: fields.get('id'), event: fields.get('event'), data: JSON.parse(fields.get('data') ?? '') }];
  });
}
