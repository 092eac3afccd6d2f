// Performs requests: credentials, time limits, retries, and what went wrong. Knows no endpoint by name.
import type { Endpoint, Method } from '@quarterdeck/core';
import { type Answer, checkData, type Question, readAnswer, unexpected } from './answer.ts';
import { type Clock, sleep, systemClock } from './clock.ts';
import { ClientError, NetworkError, reasonOf, TimeoutError } from './errors.ts';
import { mayRetry, type Repeatable, retryAfterOf, retryDelayMs } from './retry.ts';
import { fillPath, parseBaseUrl, queryText } from './url.ts';

/** A credential, or where to look for it at each request; undefined and '' mean that there is none. */
export type CredentialOption = string | (() => string | undefined) | undefined;

/** One attempt at a request, after it ended. Holds no credential and no body. */
export interface RequestInfo {
  readonly method: Method;
  /** Absolute, with the query. */
  readonly url: string;
  /** HTTP status; absent where there was no answer. */
  readonly status?: number;
  /** Until the answer was read, milliseconds; for the event stream until it began. */
  readonly durationMs: number;
  /** From 1. */
  readonly attempt: number;
  /** How it failed. */
  readonly error?: ClientError;
  /** The caller's signal ended it. */
  readonly aborted?: true;
}

/** As much of an answer as is asked for. */
export interface HttpAnswer extends Pick<Response, 'status' | 'ok' | 'type' | 'body' | 'text'> {
  readonly headers: Pick<Headers, 'get'>;
}

/** What a request is sent with. */
export interface HttpRequest extends Omit<RequestInit, 'headers'> {
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a request and resolves with its answer. The global `fetch` is one. */
export type Send = (url: string, request: HttpRequest) => Promise<HttpAnswer>;

/** What a client is made with. */
export interface ClientOptions {
  /** Address of the administration site, with a path prefix if it has one: `https://host`, `https://host/prefix/`. */
  readonly url: string;
  /** Address of the console, where the paths under `/api/agents` are; the same as `url` by default. */
  readonly consoleUrl?: string | undefined;
  /** Sent as `API-Token`. Wins over `sessionToken`, as on the server. */
  readonly apiToken?: CredentialOption;
  /** Sent as `edge-token`. */
  readonly sessionToken?: CredentialOption;
  /** Used instead of the global `fetch`. It must heed `signal` and `redirect`. */
  readonly fetch?: Send | undefined;
  /** How long one attempt may take until its answer is read, milliseconds; 10,000 by default, `Infinity` for no limit. */
  readonly timeoutMs?: number | undefined;
  /** How often a failed request is sent again where that is harmless; 2 by default. */
  readonly retries?: number | undefined;
  /** `User-Agent`; browsers keep their own. */
  readonly userAgent?: string | undefined;
  /** Told of every attempt when it ended. Must not throw. */
  readonly onRequest?: ((info: RequestInfo) => void) | undefined;
  /**
   * Compare each answer with the contract, and fail with UnexpectedAnswerError where it does not fit. Unknown fields fit.
   * Off by default; for tests, and for programs that act on answers unattended.
   */
  readonly checkAnswers?: boolean | undefined;
  /** Used instead of the system's clock, timers and randomness. For tests. */
  readonly clock?: Clock | undefined;
}

/** What one call may say differently. */
export interface CallOptions {
  /** Aborting it rejects the call with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly retries?: number | undefined;
  /**
   * Whether sending it twice does no harm. By default: GET and PUT yes, POST no, DELETE only if nothing was sent. A request
   * that was refused for its rate (429) is sent again in any case, after the time that the server asks for.
   */
  readonly idempotent?: boolean | undefined;
}

/** What a caller fills an endpoint's slots with. */
export interface Slots {
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

/** What the rest of the client performs its requests with. */
export interface Transport {
  readonly clock: Clock;
  readonly checkAnswers: boolean;
  /** What a call may take and try, where it does not say. */
  limits(options: CallOptions): { readonly timeoutMs: number; readonly attemptsMax: number };
  /** The address of a path on the server that has it. */
  address(path: string, slots: Slots): string;
  /** One endpoint, with retries. */
  call(endpoint: Endpoint, slots: Slots, options: CallOptions): Promise<Answer>;
  /** Waits until a request may be sent again that failed as its `number`-th attempt, from 1; throws the failure where it may not. */
  backOff(failure: unknown, number: number, attemptsMax: number, request: Repeatable & Abortable): Promise<void>;
  /** One attempt; `read` makes of the answer what is wanted while the time limit still runs. */
  attempt<T>(outgoing: Outgoing, read: (response: HttpAnswer, question: Question) => Promise<T>): Promise<T>;
}

const TIMEOUT_MS = 10_000;
const RETRIES = 2;

/** @throws TypeError for options that cannot work, without repeating a credential. */
export function createTransport(options: ClientOptions): Transport {
  const url = parseBaseUrl(options.url, 'url');
  const consoleUrl = options.consoleUrl === undefined ? url : parseBaseUrl(options.consoleUrl, 'consoleUrl');
  const { clock = systemClock, onRequest, checkAnswers = false, userAgent } = options;
  const timeoutMs = positive(options.timeoutMs ?? TIMEOUT_MS, 'timeoutMs');
  const retries = wholeNumber(options.retries ?? RETRIES, 'retries');
  if (userAgent !== undefined) checkHeader(userAgent, 'userAgent');
  // A credential that is given as text is checked now, one that is looked up when it is needed.
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
    const question = (): Question => ({
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
        // The credential is for the configured origin; where a redirect leads is for the caller to decide.
        redirect: 'manual',
        // Neither cookies nor caches have a part in this API.
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
    // An endpoint that takes a body gets one: what may be left out is what `{}` says as well.
    const body = endpoint.body === undefined ? undefined : JSON.stringify(slots.body ?? {});
    const outgoing = {
      method,
      url: address(endpoint.path, slots),
      headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      body,
      signal,
      ...limit,
    };
    const read = async (response: HttpAnswer, question: Question): Promise<Answer> => {
      const answer = await readAnswer(response, question);
      // Missing data is always an error: whoever reads a field of it would fail without knowing why.
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

/** Says what is wrong without repeating the value; the runtime's own error would repeat it. */
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
