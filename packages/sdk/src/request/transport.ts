// Performs requests: credentials, time limits, retries and failures. Knows no endpoint by name.
import { startDeadline, unlessAborted } from './abort.ts';
import { type Answer, checkData, type RequestContext, readAnswer, unexpected } from './answer.ts';
import { type Clock, sleep, systemClock } from './clock.ts';
import { type CredentialOptions, createCredentials } from './credentials.ts';
import { type AttemptOptions, createExchange, type Outgoing, type ReadAnswer, targetOf } from './exchange.ts';
import { checkHeader, type HeaderOptions, headersOf } from './headers.ts';
import type { HttpAnswer } from './http-answer.ts';
import { mayRetry, type Repeatable, retryAfterOf, retryDelayMs } from './retry.ts';
import type { Route } from './route.ts';
import { fillPath, parseBaseUrl, queryText } from './url.ts';

/** Options of {@link createTransport} and of a client. */
export interface ClientOptions extends CredentialOptions, AttemptOptions {
  /** Address of the administration site, optionally with a path prefix: `https://host`, `https://host/prefix/`. */
  readonly url: string;
  /** Address of the console, which has the paths under `/api/agents`; the same as `url` by default. */
  readonly consoleUrl?: string | undefined;
  /** Time limit of one attempt until its answer is read, milliseconds; 10,000 by default, `Infinity` for none. */
  readonly timeoutMs?: number | undefined;
  /** Number of retries where they are harmless; 2 by default. */
  readonly retries?: number | undefined;
  /** Time limit of a call over all its attempts and waits, milliseconds; none by default. Not for streams. */
  readonly deadlineMs?: number | undefined;
  /**
   * Compares each answer with the `contract`, and fails with UnexpectedAnswerError on a violation. Unknown fields are
   * allowed. Off by default; for tests, and for programs that act on answers unattended.
   */
  readonly checkAnswers?: boolean | undefined;
  /** Replaces the system's clock, timers and randomness in tests. */
  readonly clock?: Clock | undefined;
}

/** Options of one call; they override those of the client. */
export interface CallOptions extends HeaderOptions {
  /** Rejects the call with the signal's reason when aborted. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly retries?: number | undefined;
  readonly deadlineMs?: number | undefined;
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

/** Limits of the wait before a retry. */
interface WaitLimits {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until the deadline of the call. */
  readonly leftMs?: (() => number) | undefined;
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
  call(endpoint: Route, slots: EndpointInput, options: CallOptions): Promise<Answer>;
  /** Waits until the failed `number`-th attempt (from 1) may be repeated; throws the failure when it may not. */
  backOff(failure: unknown, number: number, attemptsMax: number, request: Repeatable & WaitLimits): Promise<void>;
  /** Performs one attempt, and another one with a renewed credential when the first was refused. */
  attempt<T>(outgoing: Outgoing, read: ReadAnswer<T>): Promise<T>;
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
  const { clock = systemClock, checkAnswers = false, userAgent } = options;
  const timeoutMs = positive(options.timeoutMs ?? TIMEOUT_MS, 'timeoutMs');
  const retries = wholeNumber(options.retries ?? RETRIES, 'retries');
  const deadlineMs = options.deadlineMs === undefined ? undefined : positive(options.deadlineMs, 'deadlineMs');
  if (userAgent !== undefined) checkHeader(userAgent, 'userAgent');
  const credentials = createCredentials(options);

  const address: Transport['address'] = (path, { params, query }) => {
    const base = path === '/api/agents' || path.startsWith('/api/agents/') ? consoleUrl : url;
    return `${base}${fillPath(path, params)}${queryText(query)}`;
  };

  const exchange = createExchange(options, credentials, clock);

  const attempt: Transport['attempt'] = async (outgoing, read) => {
    let renewal: Promise<boolean> | undefined;
    try {
      return await exchange(outgoing, read, (refused, refusal) => {
        renewal = credentials.renew(refused, refusal);
      });
    } catch (failure) {
      if (renewal === undefined || !(await unlessAborted(renewal, outgoing.signal))) throw failure;
    }
    // A refused request had no effect, so any method may be sent once more.
    return exchange(outgoing, read);
  };

  const limits: Transport['limits'] = (callOptions) => ({
    timeoutMs: positive(callOptions.timeoutMs ?? timeoutMs, 'timeoutMs'),
    attemptsMax: 1 + wholeNumber(callOptions.retries ?? retries, 'retries'),
  });

  const backOff: Transport['backOff'] = async (failure, number, attemptsMax, { signal, leftMs, ...request }) => {
    if (number >= attemptsMax || !mayRetry(failure, request)) throw failure;
    const delayMs = retryDelayMs(number, retryAfterOf(failure), clock.random());
    if (delayMs === undefined || (leftMs !== undefined && delayMs >= leftMs())) throw failure;
    await sleep(clock, delayMs, signal);
  };

  const call: Transport['call'] = async (endpoint, slots, callOptions) => {
    const { method } = endpoint;
    const { attemptsMax, ...limit } = limits(callOptions);
    // An endpoint with a body always gets one: `{}` equals an omitted one.
    const body = endpoint.body === undefined ? undefined : JSON.stringify(slots.body ?? {});
    const outgoing = {
      method,
      url: address(endpoint.path, slots),
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headersOf(callOptions),
      },
      body,
      ...limit,
    };
    const read = async (response: HttpAnswer, question: RequestContext): Promise<Answer> => {
      const answer = await readAnswer(response, question);
      // Missing data is always an error: a caller that reads a field would fail without knowing why.
      const fault = checkAnswers || answer.data === undefined ? checkData(answer.data, endpoint.data) : undefined;
      if (fault !== undefined) throw unexpected(fault, response, question);
      return answer;
    };
    const wholeMs = callOptions.deadlineMs === undefined ? deadlineMs : positive(callOptions.deadlineMs, 'deadlineMs');
    const { signal, leftMs, end } = startDeadline(clock, wholeMs, callOptions.signal, targetOf(outgoing));
    const idempotent = callOptions.idempotent ?? (callOptions.idempotencyKey === undefined ? undefined : true);
    try {
      for (let number = 1; ; number += 1) {
        try {
          return await attempt({ ...outgoing, signal, attempt: number }, read);
        } catch (failure) {
          await backOff(failure, number, attemptsMax, { method, idempotent, signal, leftMs });
        }
      }
    } finally {
      end();
    }
  };

  return { clock, checkAnswers, limits, address, backOff, call, attempt };
}

function positive(value: number, option: string): number {
  if (typeof value !== 'number' || !(value > 0)) throw new TypeError(`${option} must be more than 0 milliseconds`);
  return value;
}

function wholeNumber(value: number, option: string): number {
  if (!Number.isInteger(value) || value < 0) throw new TypeError(`${option} must be a whole number from 0`);
  return value;
}
