// Performs one attempt at a request: credential, time limit, hooks, and the failure if there is no answer.
import type { Method } from '@quarterdeck/core/plain';
import { isPending, type MaybePromise, unlessAborted } from './abort.ts';
import type { RequestContext } from './answer.ts';
import type { Clock } from './clock.ts';
import type { Credential, Credentials } from './credentials.ts';
import { type ApiError, ClientError, NetworkError, reasonOf, type Target, TimeoutError } from './errors.ts';
import { checkedHeaders, secretsOf } from './headers.ts';
import type { HttpAnswer } from './http-answer.ts';
import { isUnauthorized } from './retry.ts';
import { redact } from './text.ts';

/** An attempt at a request that is about to be sent. Holds no credential and no body. */
export interface AttemptInfo {
  readonly method: Method;
  /** Absolute, with the query. */
  readonly url: string;
  /** Counted from 1; a request that is sent once more with a renewed credential keeps its number. */
  readonly attempt: number;
  /** Headers of the call, with names in lower case. Headers added here are sent. */
  readonly headers: Record<string, string>;
}

/** Called when an attempt has ended. Must not throw. */
export type AttemptEnd = (info: RequestInfo) => void;

/** One finished attempt at a request. Holds no credential and no body. */
export interface RequestInfo {
  readonly method: Method;
  /** Absolute, with the query. */
  readonly url: string;
  /** HTTP status; absent without an answer. */
  readonly status?: number;
  /** Milliseconds until the answer was read; for the event stream until it began. */
  readonly durationMs: number;
  /** Counted from 1. */
  readonly attempt: number;
  /** Id of this request in the server's log. */
  readonly requestId?: string;
  /** The failure, if any. */
  readonly error?: ClientError;
  /** True when the caller's signal ended it. */
  readonly aborted?: true;
}

/** Second argument of {@link Send}, with plain headers. */
export interface HttpRequest extends Omit<RequestInit, 'headers'> {
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a request and resolves with its answer. The global `fetch` is one. */
export type Send = (url: string, request: HttpRequest) => Promise<HttpAnswer>;

/** Options of a client about single attempts. */
export interface AttemptOptions {
  /** Replaces the global `fetch`. It must honor `signal` and `redirect`. */
  readonly fetch?: Send | undefined;
  /**
   * `cookie`: the session that a browser keeps in a cookie of this server's origin, where no other credential is given.
   * A login sets that cookie, and its answer has no token.
   */
  readonly session?: 'cookie' | undefined;
  /** `User-Agent`; browsers keep their own. */
  readonly userAgent?: string | undefined;
  /**
   * Called before every attempt. It may add headers, and return a function to call after the attempt. The attempt waits
   * for a promise. An error of the function rejects the call.
   */
  readonly onAttempt?: ((attempt: AttemptInfo) => MaybePromise<AttemptEnd | undefined>) | undefined;
  /** Called after every attempt. Must not throw. */
  readonly onRequest?: ((info: RequestInfo) => void) | undefined;
}

/** One request, ready to be sent. */
export interface Outgoing {
  readonly method: Method;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs: number;
  readonly attempt: number;
}

/** Reads the answer to a request within its time limit. */
export type ReadAnswer<T> = (response: HttpAnswer, question: RequestContext) => Promise<T>;

/** Sends a request once and reads its answer. `onUnauthorized` learns of a refused credential before the failure. */
export type Exchange = <T>(
  outgoing: Outgoing,
  read: ReadAnswer<T>,
  onUnauthorized?: (refused: Credential | undefined, refusal: ApiError) => void,
) => Promise<T>;

/** Creates the function that performs the attempts of a client. */
export function createExchange(options: AttemptOptions, credentials: Credentials, clock: Clock): Exchange {
  const { session, userAgent, onAttempt, onRequest } = options;

  return async (outgoing, read, onUnauthorized) => {
    const { method, url, body, signal, timeoutMs, attempt } = outgoing;
    signal?.throwIfAborted();
    const target = targetOf(outgoing);
    const ended = new AbortController();
    const onAbort = () => ended.abort(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    const callOff = clock.after(timeoutMs, () => ended.abort(new TimeoutError(timeoutMs, target)));
    try {
      // Functions of the caller may answer at once; then the request leaves at once. Their errors are passed on.
      const found = credentials.read();
      const credential = isPending(found) ? await unlessAborted(found, ended.signal) : found;
      const headers = { ...outgoing.headers };
      const begun = onAttempt?.({ method, url, attempt, headers });
      const onEnd = isPending(begun) ? await unlessAborted(begun, ended.signal) : begun;
      const sent: Record<string, string> = {
        ...(userAgent && { 'user-agent': userAgent }),
        ...checkedHeaders(headers),
        ...(credential && { [credential.header]: credential.secret }),
      };
      const usesCookie = session === 'cookie' && credential === undefined;
      // A page of another origin cannot send this header without leave of the server.
      if (usesCookie) sent['quarterdeck-session'] = session;

      const secrets = secretsOf(sent);
      const startedMs = clock.now();
      let response: HttpAnswer | undefined;
      const report = (outcome: Outcome) => {
        const durationMs = Math.max(0, clock.now() - startedMs);
        const info = { method, url, ...factsOf(response, secrets), durationMs, attempt, ...outcome };
        onEnd?.(info);
        onRequest?.(info);
      };
      let value: Awaited<ReturnType<typeof read>>;
      try {
        const send: Send = options.fetch ?? globalThis.fetch;
        response = await send(url, {
          method,
          headers: sent,
          ...(body === undefined ? {} : { body }),
          signal: ended.signal,
          // The credential is for the configured origin; the caller decides about redirects.
          redirect: 'manual',
          // Only the session of a browser is a cookie; nothing uses caches.
          credentials: usesCookie ? 'same-origin' : 'omit',
          cache: 'no-store',
        });
        const hasBody = body !== undefined;
        value = await read(response, { target, secrets, hasBody, nowMs: clock.now() });
      } catch (cause) {
        const reason: unknown = ended.signal.aborted ? ended.signal.reason : failureOf(cause, secrets, target);
        // The reason of a caller's signal may be anything; the time limits of the client abort with their error.
        report(reason instanceof ClientError ? { error: reason } : { aborted: true });
        if (isUnauthorized(reason)) onUnauthorized?.(credential, reason);
        throw reason;
      }
      report({});
      return value;
    } finally {
      callOff();
      signal?.removeEventListener('abort', onAbort);
    }
  };
}

/** Request of an error: its address without the query. */
export const targetOf = ({ method, url }: Pick<Outgoing, 'method' | 'url'>): Target => ({
  method,
  url: url.replace(/\?.*$/s, ''),
});

type Outcome = Pick<RequestInfo, 'error' | 'aborted'>;

/** Status and request id of an answer, as far as it has them. */
function factsOf(
  response: HttpAnswer | undefined,
  secrets: readonly string[],
): Pick<RequestInfo, 'status' | 'requestId'> {
  const requestId = redact(response?.headers.get('x-request-id') ?? '', secrets);
  return {
    ...(response === undefined || response.status === 0 ? {} : { status: response.status }),
    ...(requestId === '' ? {} : { requestId }),
  };
}

function failureOf(cause: unknown, secrets: readonly string[], target: Target): ClientError {
  return cause instanceof ClientError ? cause : new NetworkError(reasonOf(cause, secrets), target);
}
