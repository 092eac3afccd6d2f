// A fake of a server, derived from its contract. It stands behind the `fetch` of a client.
import {
  AppError,
  type AppErrorOptions,
  CHALLENGE,
  type Contract,
  DONE,
  type Endpoint,
  type ErrorCode,
  failure,
  loadExpressions,
  namesTag,
  type Page,
  parseInput,
  success,
} from '@quarterdeck/core';
import { unlessAborted } from '../request/abort.ts';
import { type Compute, createAnswers } from './answers.ts';
import { SAMPLE_TIME_MS } from './build.ts';
import { ERRLOG_EXPORT, EVENT_STREAM, LINE_EXPORT, quarterdeck } from './endpoints.ts';
import { createEventStreams } from './event-streams.ts';
import { exportAnswer } from './export-text.ts';
import type { AnswerOptions, Fake, FakeOptions, RecordedCall } from './fake-types.ts';
import { createRouter, type Found, MethodNotAllowed, type NamedEndpoint, namedEndpoints } from './find-route.ts';
import { isPaged, pageOf } from './page-of.ts';
import { readInput } from './read-input.ts';
import { createSample, type Sample } from './sample.ts';

/** The tag of an object: its edited fields, readable. Undefined where nobody edits it. */
function entityTag({ versioned }: Endpoint, data: unknown): string | undefined {
  if (versioned === undefined || typeof data !== 'object' || data === null) return undefined;
  const values = versioned.map((name) => (data as Readonly<Record<string, unknown>>)[name] ?? null);
  return `"${encodeURIComponent(JSON.stringify(values))}"`;
}

/** @throws AppError `precondition_failed` with the current object, unless its tag is as the request expects */
function requireMatch(headers: Headers, endpoint: Endpoint, current: unknown): void {
  const tag = entityTag(endpoint, current) ?? '';
  const [expected, known] = [headers.get('if-match'), headers.get('if-none-match')];
  const isExpected = expected === null || namesTag('If-Match', expected, tag);
  if (isExpected && (known === null || !namesTag('If-None-Match', known, tag))) return;
  throw new AppError('precondition_failed', { current: current as object });
}

/** Tells whether a read names the version of the object in `If-None-Match`. */
function isKnown(headers: Headers, endpoint: Endpoint, data: unknown): boolean {
  const [known, tag] = [headers.get('if-none-match'), entityTag(endpoint, data)];
  return known !== null && tag !== undefined && namesTag('If-None-Match', known, tag);
}

/**
 * Returns data that fits the endpoint: a list without rows, or one object. It has the id of the path and the fields of
 * the body, so that what was created has its name.
 */
function defaultAnswer({ data }: Endpoint, { params, body }: Input, sample: Sample): unknown {
  const least = sample(data);
  if (typeof least !== 'object' || least === null || !('shape' in data)) return least;
  const given = Object.entries({ ...(body as object), ...(params as object) }).filter(
    ([name, value]) => name in (data.shape as object) && value !== undefined && value !== null,
  );
  const answer = { ...least, ...Object.fromEntries(given) };
  return data.safeParse(answer).success ? answer : least;
}

/**
 * Refuses callers without one of these credentials, as far as an endpoint needs one. The first of several headers
 * decides.
 *
 * @throws AppError `credential_missing` or `credential_invalid`
 */
function requireCredential({ access }: Endpoint, headers: Headers, accepted: readonly string[]): void {
  if (access === 'public') return;
  const bearer = headers.get('authorization')?.replace(/^Bearer /i, '');
  const given = headers.get('api-token') ?? headers.get('edge-token') ?? headers.get('auth') ?? bearer;
  if (given === undefined) throw new AppError('credential_missing');
  if (!accepted.includes(given)) throw new AppError('credential_invalid');
}

/** Creates a refusal for an answer to throw: `throw refusal('not_found')`. It has no `Retry-After` unless given. */
export const refusal = (code: ErrorCode, options: Omit<AppErrorOptions, 'cause'> = {}): AppError =>
  new AppError(code, { retryAfterS: 0, ...options });

/** Fails as `fetch` does without an answer. */
class ConnectionBroken extends TypeError {
  override readonly message = 'fetch failed';
}

/** Recorded calls: the demo of the dashboard runs for hours. */
const CALLS_MAX = 1_000;

type Input = Readonly<Record<string, unknown>>;
type Row = Readonly<Record<string, unknown>>;
type Recording = { -readonly [K in keyof RecordedCall]: RecordedCall[K] };

/** Creates a fake of any contract that is made with `endpoint()`. */
export function createFake<C extends Contract>(options: FakeOptions & { readonly contract: C }): Fake<C>;
/** Creates a fake of Quarterdeck. Every endpoint has an answer that fits the contract; lists are empty. */
export function createFake(options?: FakeOptions): Fake;
export function createFake({
  url = 'http://quarterdeck.test',
  credentials,
  now = Date.now,
  contract = quarterdeck,
}: FakeOptions & { readonly contract?: Contract } = {}): Fake {
  const endpoints = namedEndpoints(contract);
  const findRoute = createRouter(endpoints);
  const prefix = new URL(url).pathname.replace(/\/+$/, '');
  const sample = createSample(SAMPLE_TIME_MS);
  const streams = createEventStreams();
  const answers = createAnswers();
  const calls: Recording[] = [];
  let count = 0;

  const add = (name: string, compute: Compute, options: AnswerOptions = {}): void => {
    if (!endpoints.some((endpoint) => endpoint.name === name)) throw new TypeError(`there is no endpoint ${name}`);
    answers.add(name, compute, options);
  };
  if (contract === quarterdeck) {
    add('errlog.append', (call) => ({ accepted: (call as { body: unknown[] }).body.length, refused: [] }));
    for (const noun of ['errlog', 'line']) {
      add(`${noun}.export`, async (call, signal) =>
        rowsOf(await answers.compute(`${noun}.list`, call, signal, () => [])),
      );
    }
  }

  /** Computes the data of an answer. */
  const dataOf = async ({ name, endpoint }: NamedEndpoint, input: Input, request: Request): Promise<unknown> => {
    const { signal, headers } = request;
    const otherwise = () => defaultAnswer(endpoint, input, sample);
    const answer = await unlessAborted(answers.compute(name, { ...input, headers }, signal, otherwise), signal);
    const data = Array.isArray(answer) && isPaged(endpoint) ? pageOf(answer, endpoint, queryOf(input), sample) : answer;
    checkAnswer(name, endpoint.bareList === true ? rowsOf(data) : data, endpoint);
    return data;
  };

  /** Compares `If-Match` and `If-None-Match` with the object as the test answers `GET` of the same path. */
  const requireVersion = async ({ endpoint, params }: Found, request: Request): Promise<void> => {
    const { headers } = request;
    const read = endpoints.find((one) => one.endpoint.path === endpoint.path && one.endpoint.method === 'GET');
    if ((!headers.has('if-match') && !headers.has('if-none-match')) || read === undefined) return;
    const input = parseInput(read.endpoint, { params, query: {}, body: undefined });
    requireMatch(headers, endpoint, await dataOf(read, input, request));
  };

  const respond = async (request: Request, recorded: Recording): Promise<Response> => {
    const found = findRoute(request.method, recorded.url.pathname.slice(prefix.length));
    const { name, endpoint } = found;
    recorded.name = name;
    if (credentials !== undefined) requireCredential(endpoint, request.headers, credentials);
    const input = await readInput(found, request);
    recorded.input = input;
    if (endpoint.versioned !== undefined && endpoint.method !== 'GET') await requireVersion(found, request);
    const data = await dataOf(found, input, request);
    if (endpoint === EVENT_STREAM) {
      const query = queryOf(input);
      if (query['filter'] !== undefined) await loadExpressions();
      return streams.connect(query, request.headers.get('last-event-id'), request.signal);
    }
    if (endpoint === ERRLOG_EXPORT || endpoint === LINE_EXPORT) {
      return exportAnswer(data as Row[], endpoint, queryOf(input));
    }
    if (request.method === 'GET' && isKnown(request.headers, endpoint, data)) {
      return new Response(null, { status: 304, headers: { etag: entityTag(endpoint, data) ?? '' } });
    }
    return envelope(endpoint, data, now());
  };

  const fake: Fake = {
    url,
    calls,
    get openStreams() {
      return streams.open;
    },
    async fetch(target, init) {
      const request = new Request(target, init);
      request.signal.throwIfAborted();
      const { method, headers } = request;
      const recorded: Recording = {
        name: undefined,
        method,
        url: new URL(request.url),
        headers,
        input: undefined,
        status: undefined,
      };
      calls.push(recorded);
      if (calls.length > CALLS_MAX) calls.shift();
      count += 1;
      const id = `fake-${count}`;
      const response = await respond(request, recorded).catch((error: unknown) => {
        if (request.signal.aborted || error instanceof ConnectionBroken) throw error;
        return refused(error, id, now());
      });
      response.headers.set('x-request-id', id);
      recorded.status = response.status;
      return response;
    },
    callsOf: (name) =>
      calls.flatMap((call) => {
        const valid = call.name === name && call.input !== undefined;
        // The schemas of the endpoint have parsed the input.
        return valid ? [{ ...call.input, headers: call.headers } as never] : [];
      }),
    on(name, answer, options) {
      add(name, typeof answer === 'function' ? (answer as Compute) : () => answer, options);
    },
    fails(name, code, { times, delayMs, ...options } = {}) {
      const fail = () => {
        throw refusal(code, options);
      };
      add(name, fail, { times, delayMs });
    },
    breaks(name, options) {
      const fail = () => {
        throw new ConnectionBroken();
      };
      add(name, fail, options);
    },
    emit: streams.emit,
    endStreams: streams.end,
  };
  return fake;
}

const queryOf = ({ query }: Input): Readonly<Record<string, string | undefined>> =>
  (query ?? {}) as Readonly<Record<string, string | undefined>>;

/** Rows of an answer: itself, or those of a page. */
const rowsOf = (answer: unknown): unknown => (Array.isArray(answer) ? answer : (answer as { data?: unknown }).data);

/** @throws TypeError that names the endpoint and the first fault */
function checkAnswer(name: string, data: unknown, endpoint: Endpoint): void {
  const [fault] = endpoint.data.safeParse(data).error?.issues ?? [];
  if (fault === undefined) return;
  const place = ['data', ...fault.path].join('.');
  throw new TypeError(`the answer to ${name} does not fit the contract: ${place}: ${fault.message}`);
}

function envelope(endpoint: Endpoint, data: unknown, nowMs: number): Response {
  const { bareList, msg } = endpoint;
  const tag = entityTag(endpoint, data);
  if (bareList !== true) {
    return json(200, data === undefined ? DONE : success(data, nowMs, msg), tag === undefined ? {} : { etag: tag });
  }
  const { data: rows, meta } = data as Page<unknown>;
  return json(200, success(rows, nowMs, msg), { 'x-total-count': String(meta.count) });
}

/** Answers with a refusal. A fault of the test becomes one too, because clients repeat requests without an answer. */
function refused(error: unknown, id: string, nowMs: number): Response {
  const refusing = error instanceof AppError ? error : new AppError('internal', { message: String(error) });
  return json(refusing.status, failure(refusing, id, nowMs), {
    ...((refusing.retryAfterS ?? 0) > 0 ? { 'retry-after': String(refusing.retryAfterS) } : {}),
    ...(refusing instanceof MethodNotAllowed ? { allow: refusing.allow } : {}),
    ...(refusing.status === 401 ? { 'www-authenticate': CHALLENGE } : {}),
  });
}

const json = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
  });
