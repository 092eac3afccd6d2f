// Headers of requests and answers.
import { CHALLENGE, type Endpoint, IGNORED_HEADER } from '@quarterdeck/core';
import type { Ref } from './types.ts';

/** Statuses whose answers say when to try again. */
const WITH_RETRY_AFTER: ReadonlySet<number> = new Set([429, 503]);

/** Headers of answers, for the components of the document. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'Id of the request: that of the request, if it sent a harmless one, else a new UUID',
    required: true,
    schema: { type: 'string' },
    example: '7c9f1f0e-3c52-4d0b-9d5e-0f1f6f2f9a11',
  },
  'X-Total-Count': {
    description: 'Number of rows on all pages',
    required: true,
    schema: { type: 'integer', minimum: 0 },
    example: 240,
  },
  RateLimit: {
    description: 'Changes left (`r`), and the seconds until there is one more (`t`)',
    schema: { type: 'string' },
    example: '"write";r=499;t=1',
  },
  'RateLimit-Policy': {
    description: 'Changes at once (`q`), and the seconds in which that many are granted again (`w`)',
    schema: { type: 'string' },
    example: '"write";q=500;w=10',
  },
  'Retry-After': {
    description: 'Seconds to wait before the request is sent again',
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
  [IGNORED_HEADER]: {
    description: 'Unknown fields and parameters of the request, percent-encoded and separated by commas; absent = none',
    schema: { type: 'string' },
    example: 'levle, page_sise',
  },
  'WWW-Authenticate': {
    description: 'The scheme that takes a credential',
    schema: { type: 'string' },
    example: CHALLENGE,
  },
  ETag: {
    description: 'Version of the object, for If-Match and If-None-Match',
    schema: { type: 'string' },
    example: '"q0cPO1bSNJ7dYl4Ym0aGkA"',
  },
} as const;

type HeaderName = keyof typeof HEADERS;

const RATE_HEADERS = ['RateLimit', 'RateLimit-Policy'] as const;

/** Headers that an operation accepts, for the components of the document. */
export const HEADER_PARAMETERS = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Text of your choice: a request with the same key and body counts once within a day',
    schema: { type: 'string', minLength: 1, maxLength: 200 },
    example: '2f1d6a1e-batch-17',
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description: 'ETag of the object as you know it: where it was changed since, the answer is 412; absent = any',
    schema: { type: 'string' },
    example: '"q0cPO1bSNJ7dYl4Ym0aGkA"',
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description: 'ETag of the object as you know it: where nobody has changed it since, the answer is 304',
    schema: { type: 'string' },
    example: '"q0cPO1bSNJ7dYl4Ym0aGkA"',
  },
} as const;

const refs = (names: readonly HeaderName[]): Record<string, Ref> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Headers of a success, as references. */
export const successHeaders = (endpoint: Endpoint, isCounted: boolean): Record<string, Ref> =>
  refs([
    'X-Request-Id',
    ...(endpoint.bareList ? (['X-Total-Count'] as const) : []),
    ...(endpoint.versioned === undefined ? [] : (['ETag'] as const)),
    ...(endpoint.unknownInput === 'ignored' ? ([IGNORED_HEADER] as const) : []),
    ...(isCounted ? RATE_HEADERS : []),
  ]);

/** Kinds of endpoints whose failures have headers of their own. */
export interface FailureKind {
  readonly isCounted: boolean;
  /** It ignores unknown fields and parameters. */
  readonly ignores: boolean;
  /** Browsers get it as a page. */
  readonly isPage: boolean;
}

/** Headers of a failure, as references. */
export const failureHeaders = (status: number, { isCounted, ignores }: FailureKind): Record<string, Ref> =>
  refs([
    'X-Request-Id',
    ...(ignores ? ([IGNORED_HEADER] as const) : []),
    ...(isCounted ? RATE_HEADERS : []),
    ...(WITH_RETRY_AFTER.has(status) ? (['Retry-After'] as const) : []),
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
  ]);

/** Tells whether an endpoint reads an object that people edit. */
export const isVersionedRead = ({ method, versioned }: Endpoint): boolean =>
  method === 'GET' && versioned !== undefined;

/** Headers that an endpoint accepts beside its credential, as references. */
export function headerParameters(endpoint: Endpoint): Ref[] {
  const names: (keyof typeof HEADER_PARAMETERS)[] = [];
  if (endpoint.errors?.includes('idempotency_conflict')) names.push('Idempotency-Key');
  if (endpoint.errors?.includes('precondition_failed')) names.push('If-Match');
  if (isVersionedRead(endpoint)) names.push('If-None-Match');
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}
