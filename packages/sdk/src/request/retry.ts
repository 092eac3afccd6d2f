// Decides whether and when to retry. Pure.
//
// GET and PUT are repeated: reading changes nothing, and an update sets a state. DELETE is repeated only when nothing
// was sent: a second one would answer 404 for a deletion that succeeded. POST is never repeated. `idempotent` of a call
// overrides all of this. A request refused for its rate (429) did nothing, so any method is repeated, except after
// wrong passwords: a person waits for that answer.
import { errorClass, isRetryable, type Method } from '@quarterdeck/core/plain';
import { type ApiError, isApiError, isNetworkError, isTimeoutError, isUnexpectedAnswerError } from './errors.ts';

const BASE_MS = 200;
const CAP_MS = 5_000;
/** A longer `Retry-After` than this ends the attempts. */
const RETRY_AFTER_MAX_MS = 30_000;

/** Properties of a request that decide about its repetition. */
export interface Repeatable {
  readonly method: Method;
  readonly idempotent?: boolean | undefined;
}

/** Reports whether a request that failed like this may be sent again. */
export function mayRetry(failure: unknown, { method, idempotent }: Repeatable): boolean {
  if (isRateRefusal(failure)) return true;
  if (method === 'DELETE' && idempotent === undefined) return isNetworkError(failure) && !failure.sent;
  return (idempotent ?? (method === 'GET' || method === 'PUT')) && isTemporary(failure);
}

function isRateRefusal(failure: unknown): boolean {
  const answer = answerOf(failure);
  return answer !== undefined && errorClass(answer.status, answer.code) === 'rate';
}

/** Reports whether the server refused the credential of a request: none, an invalid or an expired one. */
export const isUnauthorized = (failure: unknown): failure is ApiError =>
  isApiError(failure) && errorClass(failure.status, failure.code) === 'credential';

/** Reports whether a failure may end without a change by the caller: no answer, or an answer that says so. */
export function isTemporary(failure: unknown): boolean {
  if (isNetworkError(failure) || isTimeoutError(failure)) return true;
  const answer = answerOf(failure);
  return answer !== undefined && isRetryable(answer.status, answer.code);
}

/** Returns the answer of a failure that has one: its status and code. */
export function answerOf(failure: unknown): { readonly status: number; readonly code?: string } | undefined {
  return isApiError(failure) || isUnexpectedAnswerError(failure) ? failure : undefined;
}

/**
 * Milliseconds to wait after the attempt with this number (from 1); `undefined`: give up. The wait doubles from 200 ms
 * to 5 s with full jitter. A `Retry-After` is honored plus a little, so that refused clients do not return together.
 */
export function retryDelayMs(attempt: number, retryAfterMs: number | undefined, random: number): number | undefined {
  if (retryAfterMs === undefined) return random * Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1));
  return retryAfterMs > RETRY_AFTER_MAX_MS ? undefined : retryAfterMs + random * BASE_MS;
}

/** Wait that the answer of a failure asked for, milliseconds. */
export function retryAfterOf(failure: unknown): number | undefined {
  return isApiError(failure) || isUnexpectedAnswerError(failure) ? failure.retryAfterMs : undefined;
}

/**
 * Parses `Retry-After` (RFC 9110, 10.2.3): seconds, or an HTTP date relative to `nowMs`, in milliseconds. A past date
 * is 0; `undefined` when absent or invalid.
 */
export function parseRetryAfter(value: string | null, nowMs: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  // A date begins with the name of its day; Date.parse alone would read "-1" as a year.
  if (!/^[A-Za-z]{3}/.test(text)) return undefined;
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}
