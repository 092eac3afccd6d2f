// Errors of a failed call: refused, unreachable, too slow, or not our server. All are safe to log; none holds a
// credential, a header, a query or a body of the request.
import type { ErrorCode, FieldIssue } from '@quarterdeck/core/plain';
import { excerpt, redact } from './text.ts';

// In the global registry, so that a second copy of this package or another realm finds the same symbol.
const KIND = Symbol.for('@quarterdeck/sdk error');

/** The request that failed. */
export interface Target {
  readonly method: string;
  /** Absolute, without the query. */
  readonly url: string;
}

/** Base class of every failure of a call. */
export class ClientError extends Error {
  override readonly name: string = 'ClientError';
  readonly method: string;
  /** Absolute, without the query; the path in the contract when several requests failed together. */
  readonly url: string;

  constructor(message: string, target: Target) {
    super(message);
    this.method = target.method;
    this.url = target.url;
  }

  get [KIND](): string {
    return this.name;
  }

  /** Returns all properties, for logs; never a credential or a body of the request. */
  toJSON(): Record<string, unknown> {
    // The message is not enumerable, so a spread alone would omit it.
    return { ...(this as object), message: this.message };
  }
}

/** Constructor argument of {@link ApiError}. */
export interface ApiErrorDetails {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly detail?: string | undefined;
  readonly fields?: readonly FieldIssue[] | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly current?: unknown;
}

/** The server understood and refused. `message` is a sentence for people, `code` is for programs. */
export class ApiError extends ClientError {
  override readonly name = 'ApiError';
  /** HTTP status; for the `/api/v1` form, whose HTTP status is always 200, the status of the envelope. */
  readonly status: number;
  /** A code of `ERRORS` in core, one of a newer server, or `unknown` when the server gave none. */
  readonly code: ErrorCode | (string & {});
  readonly detail: string | undefined;
  /** Refused fields of the input; empty when the refusal has another reason. */
  readonly fields: readonly FieldIssue[];
  /** Id of this request in the server's log. */
  readonly requestId: string | undefined;
  /** Wait that the server asked for, milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** `precondition_failed`: the thing as it is now, in the form of the endpoint's data, to merge the change with. */
  readonly current: unknown;

  constructor(refusal: ApiErrorDetails, target: Target) {
    super(refusal.message, target);
    this.status = refusal.status;
    this.code = refusal.code;
    this.detail = refusal.detail;
    this.fields = refusal.fields ?? [];
    this.requestId = refusal.requestId;
    this.retryAfterMs = refusal.retryAfterMs;
    this.current = refusal.current;
  }
}

/** Constructor argument of {@link NetworkError}. */
export interface NetworkErrorDetails {
  readonly text: string;
  readonly code?: string | undefined;
}

/** No answer: the server could not be reached, or the connection broke before the answer was complete. */
export class NetworkError extends ClientError {
  override readonly name = 'NetworkError';
  /** Code of the runtime, if any: `ECONNREFUSED`, `ENOTFOUND`, or that of a certificate error. */
  readonly code: string | undefined;
  /** False when certainly nothing was sent; otherwise the server may have acted on the request. */
  readonly sent: boolean;

  constructor(reason: NetworkErrorDetails, target: Target) {
    super(`No answer from ${target.url}: ${reason.text}`, target);
    this.code = reason.code;
    this.sent = reason.code === undefined || !BEFORE_SENDING.has(reason.code);
  }
}

/** Codes of failed lookups and connects. Other codes may also come from an open connection. */
const BEFORE_SENDING: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Finds the reason of a failed fetch: the innermost cause is the most precise. */
export function reasonOf(error: unknown, secrets: readonly string[]): NetworkErrorDetails {
  let text = 'the request failed';
  let code: string | undefined;
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; depth += 1) {
    const known = (cause as { code?: unknown }).code;
    if (typeof known === 'string' && /^[A-Z][A-Z0-9_]+$/.test(known)) code = known;
    // Happy eyeballs: one error for each address, in an AggregateError without a message.
    const inner: unknown = cause instanceof AggregateError ? cause.errors[0] : cause.cause;
    text = cause.message || code || text;
    cause = inner;
  }
  return { text: excerpt(redact(text, secrets)), code };
}

/** No complete answer within the time limit; the server may have acted on the request. */
export class TimeoutError extends ClientError {
  override readonly name = 'TimeoutError';
  readonly timeoutMs: number;

  constructor(timeoutMs: number, target: Target) {
    super(`No answer from ${target.url} within ${timeoutMs} ms`, target);
    this.timeoutMs = timeoutMs;
  }
}

/** Constructor argument of {@link UnexpectedAnswerError}. */
export interface UnexpectedAnswerDetails {
  /** The violation in a few words. */
  readonly reason: string;
  readonly status: number;
  readonly contentType?: string | undefined;
  readonly text?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** An answer that is not from this API: a proxy's page, a redirect, another server, a broken envelope. */
export class UnexpectedAnswerError extends ClientError {
  override readonly name = 'UnexpectedAnswerError';
  /** HTTP status; 0 where the runtime hides it (a redirect in a browser). */
  readonly status: number;
  readonly contentType: string | undefined;
  /**
   * Beginning of the answer, without markup and control characters, at most 200 characters. Empty when the request had
   * a body, because a wrong server may return it.
   */
  readonly text: string;
  /** Wait that the answer asked for, milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(strangeness: UnexpectedAnswerDetails, target: Target) {
    const { reason, status, contentType, text = '', retryAfterMs } = strangeness;
    const about = `HTTP ${status}, ${contentType ?? 'no content type'}`;
    super(`Unexpected answer from ${target.url}: ${reason} (${about})${text === '' ? '' : `: ${text}`}`, target);
    this.status = status;
    this.contentType = contentType;
    this.text = text;
    this.retryAfterMs = retryAfterMs;
  }
}

function kindOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null ? (error as { [KIND]?: unknown })[KIND] : undefined;
}

/** Reports whether this is a failure of this client, made by any copy of the package. */
export const isClientError = (error: unknown): error is ClientError => kindOf(error) !== undefined;
/** Reports whether the server refused. */
export const isApiError = (error: unknown): error is ApiError => kindOf(error) === 'ApiError';
/** Reports whether there was no answer. */
export const isNetworkError = (error: unknown): error is NetworkError => kindOf(error) === 'NetworkError';
/** Reports whether the time limit of an attempt ran out. An `AbortSignal.timeout` of the caller does not count. */
export const isTimeoutError = (error: unknown): error is TimeoutError => kindOf(error) === 'TimeoutError';
/** Reports whether something other than this API answered. */
export const isUnexpectedAnswerError = (error: unknown): error is UnexpectedAnswerError =>
  kindOf(error) === 'UnexpectedAnswerError';
