// The OpenAPI 3.1 document of the API.
import { contract, ErrlogLine } from '@quarterdeck/core';
import { createDocument, type FailureRules, type OpenApiDocument } from '@quarterdeck/express/openapi';
import { VERSION } from '../process/version.ts';
import { OIDC_CALLBACK, OIDC_SIGN_OUT, OIDC_START, OPEN_ENDPOINTS, RAW_ENDPOINTS } from './endpoints/raw-endpoints.ts';
import { EXAMPLE_VALUES } from './openapi/example-values.ts';
import { OUR_NOUNS } from './openapi/nouns.ts';
import { rawPaths } from './openapi/raw-operations.ts';
import { TAGS } from './openapi/tags.ts';

/** Routes that browsers open, and that send them on. */
const BY_BROWSERS = [OIDC_START, OIDC_CALLBACK, OIDC_SIGN_OUT];

/** Codes of a database and a limited server, and the rate limit of changes. */
export const FAILURE_RULES: FailureRules = {
  anyRequest: [
    'headers_too_large',
    'coding_not_implemented',
    'overloaded',
    'database_busy',
    'database_unavailable',
    'shutting_down',
  ],
  // The provider behind a session.
  anyCaller: ['identity_unavailable'],
  anyChange: ['storage_full'],
  isCounted: ({ method, access, uncounted }) => method !== 'GET' && access !== 'public' && !uncounted,
  hasPages: ({ path }) => BY_BROWSERS.some((endpoint) => endpoint.path === path),
};

/** Headers of answers, for the components of the document. */
const RAW_HEADERS = {
  Location: {
    description: 'Where the page is',
    required: true,
    schema: { type: 'string' },
    example: './docs',
  },
} as const;

/** Headers that an operation accepts, for the components of the document. */
const RAW_PARAMETERS = {
  'Last-Event-ID': {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'Id of the last event that arrived: the stream continues after it',
    schema: { type: 'string' },
    example: '1795000000000-17',
  },
} as const;

const INFO = {
  title: 'Quarterdeck',
  version: VERSION,
  summary: 'Administration and console API',
  description:
    'Every path answers with and without a trailing slash. /api/v1/<path> is the same as /admin-api/<path>, ' +
    'except that failures come as HTTP 200 with a non-zero status. Every answer has the header X-Request-Id; ' +
    'a request may send its own. Failures are RFC 9457 problem documents for requests that accept those. ' +
    'A deprecated operation answers with the headers Deprecation and Sunset. Unknown fields and parameters are refused ' +
    'with 400 unknown_field; operations whose answers have the header Quarterdeck-Ignored ignore them and name them there.',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

const SERVERS = [
  { url: '/', description: 'The server that this document comes from' },
  {
    url: 'http://{host}:{port}',
    description: 'A server of your own',
    variables: { host: { default: 'localhost' }, port: { default: '7080' } },
  },
];

let made: OpenApiDocument | undefined;

/** Returns the document. The first call generates it. */
export function openApiDocument(): OpenApiDocument {
  made ??= createDocument({
    contract,
    info: INFO,
    servers: SERVERS,
    tags: TAGS,
    nouns: OUR_NOUNS,
    rules: FAILURE_RULES,
    line: ErrlogLine,
    examples: EXAMPLE_VALUES,
    others: {
      endpoints: [...Object.values(RAW_ENDPOINTS), ...OPEN_ENDPOINTS.map(({ endpoint }) => endpoint)],
      paths: rawPaths,
      headers: RAW_HEADERS,
      parameters: RAW_PARAMETERS,
    },
  });
  return made;
}

let bytes: Buffer | undefined;

/** Returns the document as JSON in UTF-8. It is public, so an answer must cost nothing. */
export function openApiBytes(): Buffer {
  bytes ??= Buffer.from(JSON.stringify(openApiDocument()));
  return bytes;
}
