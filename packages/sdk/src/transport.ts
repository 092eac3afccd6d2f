// Performs requests: credentials, time limits, retries and failures. Knows no endpoint by name.
import type { Endpoint, Method } from '@quarterdeck/core';
import { type Answer, checkData, type RequestContext, readAnswer, unexpected } from './answer.ts';
import { type Clock, sleep, systemClock } from './clock.ts';
import { ClientError, NetworkError, reasonOf, TimeoutError } from './errors.ts';
import type { HttpAnswer } from './http-answer.ts';
import { mayRetry, type Repeatable, retryAfterOf, retryDelayMs } from './retry.ts';
import { fillPath, parseBaseUrl, queryText } from './url.ts';

/** A credential, or a function that returns it for each request; undefined and '' mean none. */
export type CredentialOption = string | (() => string | undefined) | undefined;

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
  /** The failure, if any. */
  readonly error?: ClientError;
  /** True when the caller's signal ended it. */
  readonly aborted?: true;
}

/** Init of a request. */
export interface HttpRequest extends Omit<RequestInit, 'headers'> {
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a request and resolves with its answer. The global `fetch` is one. */
export type Send = (url: string, request: HttpRequest) => Promise<HttpAnswer>;

/** Options of {@link createTransport} and of a client. */
export interface ClientOptions {
  /** Address of the administration site, optionally with a path prefix: `https://host`, `https://host/prefix/`. */
  readonly url: string;
  /** Address of the console, which has the paths under `/api/agents`; the same as `url` by default. */
  readonly consoleUrl?: string | undefined;
  /** Sent as `API-Token`. Overrides `sessionToken`, as on the server. */
  readonly apiToken?: CredentialOption;
  /** Sent as `edge-token`. */
  readonly sessionToken?: CredentialOption;
  /** Replaces the global `fetch`. It must honor `signal` and `redirect`. */
  readonly fetch?: Send | undefined;
  /** Time limit of one attempt until its answer is read, milliseconds; 10,000 by default, `Infinity` for none. */
  readonly timeoutMs?: number | undefined;
  /** Number of retries where they are harmless; 2 by default. */
  readonly retries?: number | undefined;
  /** `User-Agent`; browsers keep their own. */
  readonly userAgent?: string | undefined;
  /** Called after every attempt. Must not throw. */
  readonly onRequest?: ((info: RequestInfo) => void) | undefined;
  /**
   * Compares each answer with the contract, and fails with UnexpectedAnswerError on a violation. Unknown fields are
   * allowed. Off by default; for tests, and for programs that act on answers unattended.
   */
  readonly checkAnswers?: boolean | undefined;
  /** Replaces the system's clock, timers and randomness in tests. */
  readonly clock?: Clock | undefined;
}

/** Options of one call; they override those of the client. */
export interface CallOptions {
  /** Rejects the call with the signal's reason when aborted. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly retries?: number | undefined;
  /**
   * True when a repetition is harmless. By default: GET and PUT yes, POST no, DELETE only if nothing was sent. A
   * request refused for its rate (429) is repeated in any case, after the time the server asks for.
   */
  readonly idempotent?: boolean | undefined;
}

/** Input of an endpoint: the values of its slots. */
export interface EndpointInput {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

/** One request, ready to be sent. */
interface Outgoing {
  readonly method: Method;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs: number;
  readonly attempt: number;
}

interface Abortable {
  readonly signal?: AbortSignal | undefined;
}

/** Performs the requests of the client. */
export interface Transport {
  readonly clock: Clock;
  readonly checkAnswers: boolean;
  /** Time limit and number of attempts, by options or default. */
  limits(options: CallOptions): { readonly timeoutMs: number; readonly attemptsMax: number };
  /** Address of a path on its server. */
  address(path: string, slots: EndpointInput): string;
  /** Calls one endpoint, with retries. */
  call(endpoint: Endpoint, slots: EndpointInput, options: CallOptions): Promise<Answer>;
  /** Waits until the failed `number`-th attempt (from 1) may be repeated; throws the failure when it may not. */
  backOff(failure: unknown, number: number, attemptsMax: number, request: Repeatable & Abortable): Promise<void>;
  /** Performs one attempt; `read` reads the answer within the time limit. */
  attempt<T>(outgoing: Outgoing, read: (response: HttpAnswer, question: RequestContext) => Promise<T>): Promise<T>;
}

const TIMEOUT_MS = 10_000;
const RETRIES = 2;

/**
 * Creates a transport.
 *
 * @throws TypeError for invalid options, without repeating a credential
 */
export function createTransport(options: ClientOptions): Transport {
  const url = parseBaseUrl(options.url, 'url');
  const consoleUrl = options.consoleUrl === undefined ? url : parseBaseUrl(options.consoleUrl, 'consoleUrl');
  const { clock = systemClock, onRequest, checkAnswers = false, userAgent } = options;
  const timeoutMs = positive(options.timeoutMs ?? TIMEOUT_MS, 'timeoutMs');
  const retries = wholeNumber(options.retries ?? RETRIES, 'retries');
  if (userAgent !== undefined) checkHeader(userAgent, 'userAgent');
  // Checks a credential given as text now, one from a function at each request.
  for (const name of ['apiToken', 'sessionToken'] as const) {
    const credential = options[name];
    if (typeof credential === 'string') checkHeader(credential, name);
  }

  const address: Transport['address'] = (path, { params, query }) => {
    const base = path === '/api/agents' || path.startsWith('/api/agents/') ? consoleUrl : url;
    return `${base}${fillPath(path, params)}${queryText(query)}`;
  };

  const attempt: Transport['attempt'] = async (outgoing, read) => {
    const { method, signal, timeoutMs, attempt: number } = outgoing;
    signal?.throwIfAborted();
    const credential = readCredential(options);
    const target = { method, url: outgoing.url.replace(/\?.*$/s, '') };
    const question = (): RequestContext => ({
      target,
      secret: credential?.secret,
      hasBody: outgoing.body !== undefined,
      nowMs: clock.now(),
    });

    const controller = new AbortController();
    const onAbort = () => controller.abort();
    let timedOut = false;
    signal?.addEventListener('abort', onAbort, { once: true });
    const callOff = clock.after(timeoutMs, () => {
      timedOut = true;
      controller.abort();
    });
    const startedMs = clock.now();
    let status: number | undefined;
    const report = (outcome: { error?: ClientError; aborted?: true }) =>
      onRequest?.({
        method,
        url: outgoing.url,
        ...(status === undefined || status === 0 ? {} : { status }),
        durationMs: Math.max(0, clock.now() - startedMs),
        attempt: number,
        ...outcome,
      });

    let value: Awaited<ReturnType<typeof read>>;
    try {
      const send: Send = options.fetch ?? globalThis.fetch;
      const response = await send(outgoing.url, {
        method,
        headers: { ...outgoing.headers, ...credential?.headers, ...(userAgent && { 'user-agent': userAgent }) },
        ...(outgoing.body === undefined ? {} : { body: outgoing.body }),
        signal: controller.signal,
        // The credential is for the configured origin; the caller decides about redirects.
        redirect: 'manual',
        // This API uses neither cookies nor caches.
        credentials: 'omit',
        cache: 'no-store',
      });
      status = response.status;
      value = await read(response, question());
    } catch (cause) {
      if (signal?.aborted) {
        report({ aborted: true });
        throw signal.reason;
      }
      const error = timedOut
        ? new TimeoutError(timeoutMs, target)
        : cause instanceof ClientError
          ? cause
          : new NetworkError(reasonOf(cause, credential?.secret), target);
      report({ error });
      throw error;
    } finally {
      callOff();
      signal?.removeEventListener('abort', onAbort);
    }
    report({});
    return value;
  };

  const limits: Transport['limits'] = (callOptions) => ({
    timeoutMs: positive(callOptions.timeoutMs ?? timeoutMs, 'timeoutMs'),
    attemptsMax: 1 + wholeNumber(callOptions.retries ?? retries, 'retries'),
  });

  const backOff: Transport['backOff'] = async (failure, number, attemptsMax, { signal, ...request }) => {
    if (number >= attemptsMax || !mayRetry(failure, request)) throw failure;
    const delayMs = retryDelayMs(number, retryAfterOf(failure), clock.random());
    if (delayMs === undefined) throw failure;
    await sleep(clock, delayMs, signal);
  };

  const call: Transport['call'] = async (endpoint, slots, callOptions) => {
    const { method } = endpoint;
    const { signal, idempotent } = callOptions;
    const { attemptsMax, ...limit } = limits(callOptions);
    // An endpoint with a body always gets one: `{}` equals an omitted one.
    const body = endpoint.body === undefined ? undefined : JSON.stringify(slots.body ?? {});
    const outgoing = {
      method,
      url: address(endpoint.path, slots),
      headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      body,
      signal,
      ...limit,
    };
    const read = async (response: HttpAnswer, question: RequestContext): Promise<Answer> => {
      const answer = await readAnswer(response, question);
      // Missing data is always an error: a caller that reads a field would fail without knowing why.
      const fault = checkAnswers || answer.data === undefined ? checkData(answer.data, endpoint.data) : undefined;
      if (fault !== undefined) throw unexpected(fault, response, question);
      return answer;
    };
    for (let number = 1; ; number += 1) {
      try {
        return await attempt({ ...outgoing, attempt: number }, read);
      } catch (failure) {
        await backOff(failure, number, attemptsMax, { method, idempotent, signal });
      }
    }
  };

  return { clock, checkAnswers, limits, address, backOff, call, attempt };
}

interface Credential {
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
}

function readCredential({ apiToken, sessionToken }: ClientOptions): Credential | undefined {
  const candidates = [
    ['apiToken', 'API-Token', apiToken],
    ['sessionToken', 'edge-token', sessionToken],
  ] as const;
  for (const [option, header, source] of candidates) {
    const secret = typeof source === 'function' ? source() : source;
    if (secret === undefined || secret === '') continue;
    checkHeader(secret, option);
    return { secret, headers: { [header]: secret } };
  }
  return undefined;
}

/** Reports an invalid header value without repeating it; the runtime's own error would. */
function checkHeader(value: string, option: string): void {
  if (!/^[\x20-\x7e]*$/.test(value) || value.trim() !== value) {
    throw new TypeError(`${option} has a character that an HTTP header cannot carry (a line break at its end?)`);
  }
}

function positive(value: number, option: string): number {
  if (typeof value !== 'number' || !(value > 0)) throw new TypeError(`${option} must be more than 0 milliseconds`);
  return value;
}

function wholeNumber(value: number, option: string): number {
  if (!Number.isInteger(value) || value < 0) throw new TypeError(`${option} must be a whole number from 0`);
  return value;
}
