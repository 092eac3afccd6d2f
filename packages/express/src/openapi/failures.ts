// Failures of an operation: its statuses, each with the codes it may have.
import {
  AppError,
  type AppErrorOptions,
  type Endpoint,
  ERRORS,
  type ErrorCode,
  failure,
  isConfirmedAccess,
  problem,
  wireCode,
} from '@quarterdeck/core';
import { type FailureKind, failureHeaders } from './headers.ts';
import type { ApiResponse, Ref } from './types.ts';

/** Codes that any request may get from any service, before it reaches its endpoint or because of a fault. */
const ANY_REQUEST: readonly ErrorCode[] = ['bad_request', 'request_timeout', 'internal'];

/** Rules of a service about its failures. */
export interface FailureRules {
  /** Codes that any request may get beside those of every service. */
  readonly anyRequest: readonly ErrorCode[];
  /** Codes of every request with a credential beside those of every service. */
  readonly anyCaller?: readonly ErrorCode[];
  /** Codes of every request that changes something. */
  readonly anyChange: readonly ErrorCode[];
  /** True if a request counts against a rate limit. */
  readonly isCounted: (endpoint: Endpoint) => boolean;
  /** True if browsers open an endpoint, and get refusals as pages. */
  readonly hasPages?: (endpoint: Endpoint) => boolean;
}

/** Codes that an endpoint answers: those of every endpoint of its kind, and its own. */
export function errorCodes(endpoint: Endpoint, rules: FailureRules): ReadonlySet<ErrorCode> {
  const { access, body, consumes } = endpoint;
  const codes = new Set<ErrorCode>([...ANY_REQUEST, ...rules.anyRequest, ...(endpoint.errors ?? [])]);
  const add = (...more: ErrorCode[]) => {
    for (const code of more) codes.add(code);
  };
  if (access !== 'public') {
    add('credential_missing', 'credential_invalid', 'session_expired', 'token_expired');
    add('address_not_allowed', 'forbidden', ...(rules.anyCaller ?? []));
    if (access.includes(':')) add('scope_missing', 'second_factor_demanded');
    if (isConfirmedAccess(access)) add('reauthentication_required');
  }
  if (rules.isCounted(endpoint)) add('rate_limited');
  if (endpoint.params ?? endpoint.query ?? body) add('validation_failed');
  if (endpoint.unknownInput !== 'ignored' || endpoint.limitNames !== undefined) add('unknown_field');
  if (endpoint.method !== 'GET') add(...rules.anyChange);
  if (body !== undefined) {
    add('malformed_json', 'too_large');
    // A body of any type may still have an unknown Content-Encoding.
    add('unsupported_media_type');
    if (endpoint.bodyOptional !== true) add('body_missing');
    if (consumes === 'lines') add('quota_exceeded');
  }
  return codes;
}

/** Codes of an endpoint by their HTTP status, the lowest first. */
const byStatus = (endpoint: Endpoint, rules: FailureRules): [number, ErrorCode[]][] =>
  [...Map.groupBy(errorCodes(endpoint, rules), (code) => ERRORS[code].status)].sort(([a], [b]) => a - b);

const kindOf = (endpoint: Endpoint, rules: FailureRules): FailureKind => ({
  isCounted: rules.isCounted(endpoint),
  ignores: endpoint.unknownInput === 'ignored',
  isPage: rules.hasPages?.(endpoint) === true,
});

/** Name of a shared failure: its codes decide the rest. */
const nameOf = ({ isCounted, ignores, isPage }: FailureKind, status: number, codes: readonly ErrorCode[]): string =>
  [
    ...(isPage ? ['page'] : []),
    ...(isCounted ? ['counted'] : []),
    ...(ignores ? ['ignoring'] : []),
    status,
    ...codes,
  ].join('.');

/** Failures of an endpoint by status, as references: many endpoints share them. */
export const failureRefs = (endpoint: Endpoint, rules: FailureRules): Record<string, Ref> =>
  Object.fromEntries(
    byStatus(endpoint, rules).map(([status, codes]) => [
      status,
      { $ref: `#/components/responses/${nameOf(kindOf(endpoint, rules), status, codes)}` },
    ]),
  );

/** Failures of endpoints, for the components of the document. */
export const failureResponses = (endpoints: readonly Endpoint[], rules: FailureRules): Record<string, ApiResponse> =>
  Object.fromEntries(
    endpoints
      .flatMap((endpoint) =>
        byStatus(endpoint, rules).map(([status, codes]): [string, ApiResponse] => [
          nameOf(kindOf(endpoint, rules), status, codes),
          failureResponse(status, codes, kindOf(endpoint, rules)),
        ]),
      )
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

function failureResponse(status: number, codes: readonly ErrorCode[], kind: FailureKind): ApiResponse {
  const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
  const [code = 'internal'] = codes;
  return {
    description: codes.map((code) => `\`${wireCode(code)}\`: ${ERRORS[code].message}`).join('\n\n'),
    headers: failureHeaders(status, kind),
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Failure' }, examples },
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        example: problem(errorOf(code), REQUEST_ID, TIME_MS),
      },
      ...(kind.isPage ? { 'text/html': { schema: { type: 'string', description: 'The same for people' } } } : {}),
    },
  };
}

const REQUEST_ID = '7c9f1f0e-3c52-4d0b-9d5e-0f1f6f2f9a11';
const TIME_MS = 1_795_000_000_000;

/** Members of the errors that have more than a code. */
const MORE: Partial<Record<ErrorCode, AppErrorOptions>> = {
  validation_failed: { fields: [{ path: 'query.page', message: 'must be a whole number of at least 1' }] },
  unknown_field: {
    fields: [{ path: 'body.dryrun', message: 'is an unknown field. Did you mean dry_run?' }],
  },
  precondition_failed: { current: { id: 1, note: 'spare gateway' } },
};

const errorOf = (code: ErrorCode) => new AppError(code, MORE[code]);

/** A failure for each code of endpoints, for the components of the document. */
export const failureExamples = (endpoints: readonly Endpoint[], rules: FailureRules) =>
  Object.fromEntries(
    [...new Set(endpoints.flatMap((endpoint) => [...errorCodes(endpoint, rules)]))]
      .sort()
      .map((code) => [code, { summary: ERRORS[code].message, value: failure(errorOf(code), REQUEST_ID, TIME_MS) }]),
  );
