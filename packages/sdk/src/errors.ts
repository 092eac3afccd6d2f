// Refused, unreachable, too slow, or not our server: every way a call fails. All of it is safe to log; no error holds
// a credential, a header, a query or a body of the request.
import type { ErrorCode, FieldIssue } from '@quarterdeck/core';
import { excerpt, redact } from './text.ts';

// In the global registry, so that a second copy of this package or another realm reads the same mark.
const KIND = Symbol.for('@quarterdeck/sdk error');

/** The request that failed. */
export interface Target {
  readonly method: string;
  /** Absolute, without the query. */
  readonly url: string;
}

/** What every failure of a call has in common. */
export class ClientError extends Error {
  override readonly name: string = 'ClientError';
  readonly method: string;
  /** Absolute, without the query; the path in the contract where several requests together went wrong. */
  readonly url: string;

  constructor(message: string, target: Target) {
    super(message);
    this.method = target.method;
    this.url = target.url;
  }

  get [KIND](): string {
    return this.name;
  }

  /** Everything that is known, for logs; never a credential or a body of the request. */
  toJSON(): Record<string, unknown> {
    // The message is not enumerable, so a spread alone would leave it out.
    return { ...(this as object), message: this.message };
  }
}

/** What {@link ApiError} is made of. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly detail?: string | undefined;
  readonly fields?: readonly FieldIssue[] | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** The server understood and refused: `message` is its sentence for a person, `code` is for programs. */
export class ApiError extends ClientError {
  override readonly name = 'ApiError';
  /** HTTP status; for the `/api/v1` form, where HTTP always says 200, the status of the envelope. */
  readonly status: number;
  /** A word of `ERRORS` in core, one of a newer server, or `unknown` where the server gave none. */
  readonly code: ErrorCode | (string & {});
  readonly detail: string | undefined;
  /** Fields of the input that were refused; empty where that was not the reason. */
  readonly fields: readonly FieldIssue[];
  /** What the server's log calls this request. */
  readonly requestId: string | undefined;
  /** How long the server asked to wait, milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(refusal: Refusal, target: Target) {
    super(refusal.message, target);
    this.status = refusal.status;
    this.code = refusal.code;
    this.detail = refusal.detail;
    this.fields = refusal.fields ?? [];
    this.requestId = refusal.requestId;
    this.retryAfterMs = refusal.retryAfterMs;
  }
}

/** What {@link NetworkError} is made of. */
export interface Reason {
  readonly text: string;
  readonly code?: string | undefined;
}

/** No answer: the server could not be reached, or the connection broke before the answer was complete. */
export class NetworkError extends ClientError {
  override readonly name = 'NetworkError';
  /** The runtime's word for it where there is one: `ECONNREFUSED`, `ENOTFOUND`, a certificate's fault. */
  readonly code: string | undefined;
  /** False where it is certain that nothing was sent; otherwise the server may have done what was asked. */
  readonly sent: boolean;

  constructor(reason: Reason, target: Target) {
    super(`No answer from ${target.url}: ${reason.text}`, target);
    this.code = reason.code;
    this.sent = reason.code === undefined || !BEFORE_SENDING.has(reason.code);
  }
}

/** Failures of looking up or connecting. Others may also happen to a connection in use. */
const BEFORE_SENDING: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** What a runtime says of a failed fetch: the innermost cause knows best. */
export function reasonOf(error: unknown, secret: string | undefined): Reason {
  let text = 'the request failed';
  let code: string | undefined;
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; depth += 1) {
    const known = (cause as { code?: unknown }).code;
    if (typeof known === 'string' && /^[A-Z][A-Z0-9_]+$/.test(known)) code = known;
    // Happy eyeballs: one error for each address tried, in an envelope without words.
    const inner: unknown = cause instanceof AggregateError ? cause.errors[0] : cause.cause;
    text = cause.message || code || text;
    cause = inner;
  }
  return { text: excerpt(redact(text, secret)), code };
}

/** No complete answer within the time allowed; the server may have done what was asked. */
export class TimeoutError extends ClientError {
  override readonly name = 'TimeoutError';
  readonly timeoutMs: number;

  constructor(timeoutMs: number, target: Target) {
    super(`No answer from ${target.url} within ${timeoutMs} ms`, target);
    this.timeoutMs = timeoutMs;
  }
}

/** What {@link UnexpectedAnswerError} is made of. */
export interface Strangeness {
  /** What is strange about the answer, in a few words. */
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
   * The beginning of the answer, without markup and control characters, at most 200 characters. Empty where the request
   * had a body: a wrong server may have sent it back.
   */
  readonly text: string;
  /** How long the answer asked to wait, milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(strangeness: Strangeness, target: Target) {
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

/** Whether this is any failure of this client, whichever copy of the package made it. */
export const isClientError = (error: unknown): error is ClientError => kindOf(error) !== undefined;
/** Whether the server refused. */
export const isApiError = (error: unknown): error is ApiError => kindOf(error) === 'ApiError';
/** Whether there was no answer. */
export const isNetworkError = (error: unknown): error is NetworkError => kindOf(error) === 'NetworkError';
/** Whether the time allowed for one attempt ran out. A caller's own `AbortSignal.timeout` is not meant. */
export const isTimeoutError = (error: unknown): error is TimeoutError => kindOf(error) === 'TimeoutError';
/** Whether something else than this API answered. */
export const isUnexpectedAnswerError = (error: unknown): error is UnexpectedAnswerError =>
  kindOf(error) === 'UnexpectedAnswerError';
