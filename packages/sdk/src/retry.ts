// Whether and when to try again. Pure.
//
// GET and PUT may be repeated: reading changes nothing, and an update says what shall be, not what shall change.
// DELETE is repeated only where nothing was sent: the second of two would say 404 for a deletion that succeeded.
// POST is not repeated, whatever went wrong. A call's `idempotent` overrules all of this, both ways.
// A request that was refused for its rate (429) has done nothing, so each may be repeated; but not where the refusal is about
// wrong passwords: a person waits for that, and wants to know.
import { errorClass, isRetryable, type Method } from '@quarterdeck/core';
import { isApiError, isNetworkError, isTimeoutError, isUnexpectedAnswerError } from './errors.ts';

const BASE_MS = 200;
const CAP_MS = 5_000;
/** A server that asks for more patience than this gets its refusal passed on. */
const RETRY_AFTER_MAX_MS = 30_000;

/** What of a request decides whether it may be repeated. */
export interface Repeatable {
  readonly method: Method;
  readonly idempotent?: boolean | undefined;
}

/** Whether a request that failed like this may be sent again. */
export function mayRetry(failure: unknown, { method, idempotent }: Repeatable): boolean {
  if (isRateRefusal(failure)) return true;
  if (method === 'DELETE' && idempotent === undefined) return isNetworkError(failure) && !failure.sent;
  return (idempotent ?? (method === 'GET' || method === 'PUT')) && isPassing(failure);
}

function isRateRefusal(failure: unknown): boolean {
  const answer = answerOf(failure);
  return answer !== undefined && errorClass(answer.status, answer.code) === 'rate';
}

/** Reports whether a failure may end without a change by the caller: no answer, or an answer that says so. */
export function isPassing(failure: unknown): boolean {
  if (isNetworkError(failure) || isTimeoutError(failure)) return true;
  const answer = answerOf(failure);
  return answer !== undefined && isRetryable(answer.status, answer.code);
}

/** Status and code of a failure that has an answer. */
export function answerOf(failure: unknown): { readonly status: number; readonly code?: string } | undefined {
  return isApiError(failure) || isUnexpectedAnswerError(failure) ? failure : undefined;
}

/**
 * Milliseconds to wait after the attempt with this number (from 1); `undefined`: give up. Doubles from 200 ms to 5 s with
 * full jitter; a server's `Retry-After` is kept to, plus a little, so that those it sent away do not return as one.
 */
export function retryDelayMs(attempt: number, retryAfterMs: number | undefined, random: number): number | undefined {
  if (retryAfterMs === undefined) return random * Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1));
  return retryAfterMs > RETRY_AFTER_MAX_MS ? undefined : retryAfterMs + random * BASE_MS;
}

/** What a failure's answer asked to wait, milliseconds. */
export function retryAfterOf(failure: unknown): number | undefined {
  return isApiError(failure) || isUnexpectedAnswerError(failure) ? failure.retryAfterMs : undefined;
}

/**
 * `Retry-After` (RFC 9110, 10.2.3) in milliseconds: seconds or an HTTP date, seen from `nowMs`; `undefined` where it is
 * absent or neither. A date that is past is 0.
 */
export function parseRetryAfter(value: string | null, nowMs: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  // A date begins with the name of its day; Date.parse alone would take "-1" for a year.
  if (!/^[A-Za-z]{3}/.test(text)) return undefined;
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}
