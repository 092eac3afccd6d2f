// A server in memory behind the fetch of the real SDK, for the dashboard's own tests. It covers the part of the
// contract that the dashboard uses, and can be made to fail.
import {
  type Agent,
  type ApiToken,
  type ChangeEffects,
  ERRORS,
  type ErrlogEntry,
  type ErrlogPageMeta,
  type ErrorCode,
  type EventType,
  type LedgerPage,
  type Permission,
  ROLES,
} from '@quarterdeck/core';
import { build, createFake } from '@quarterdeck/sdk/testing';
import { agent, entry } from '../../../packages/views/test/rows.ts';
import { answerFrom } from '../src/demo/demo-server.ts';
import { entryTest, rolledUp } from '../src/demo/errlog-answers.ts';
import type { Fleet } from '../src/demo/fleet-state.ts';

const PASSWORD = 'correct horse battery';
const API_TOKEN = `qd_t_${'T'.repeat(49)}`;

/** A received request. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

type Reply =
  | { readonly data?: unknown; readonly headers?: Record<string, string> }
  | { readonly code: ErrorCode; readonly message?: string };

export { agent, entry };

/** Creates an API token without its secret. */
export function apiToken(id: number, over: Partial<ApiToken> = {}): ApiToken {
  const nowS = Math.floor(Date.now() / 1000);
  return build.apiToken({ id, name: `token-${id}`, _created_unix: nowS - 60, _modified_unix: nowS - 60, ...over });
}

const noEffects = (time: number): ChangeEffects => build.changeEffects({ time, errors: [] });

/** The part of a ledger that is about a source. */
function ledgerOf({ data, meta }: LedgerPage = build.ledgerPage({ data: [] }), src?: number): LedgerPage {
  const ofSource = <T extends { readonly src: number }>(rows: readonly T[]): T[] =>
    rows.filter((row) => src === undefined || row.src === src);
  const gaps = ofSource(meta.gaps);
  return { data: ofSource(data), meta: { ...meta, gaps, complete: gaps.length === 0 } };
}

/** The server. Tests change its fields; `emit` sends an event to subscribers. */
export class FakeServer {
  readonly url = 'http://quarterdeck.test';
  readonly password = PASSWORD;
  readonly token = API_TOKEN;
  /** Secret of the next token. */
  secret = `qd_t_${'S'.repeat(49)}`;
  errlog: ErrlogEntry[] = [];
  /** Completeness of the list of errors. */
  errlogMeta: Partial<ErrlogPageMeta> = {};
  agents: Agent[] = [];
  history: Fleet['history'] = new Map();
  changes: Fleet['changes'] = [];
  /** Effects of every change, and the ledger; undefined for none. */
  effects: ChangeEffects | undefined;
  ledger: LedgerPage | undefined;
  operations: Fleet['operations'] = [];
  enrollments: Fleet['enrollments'] = [];
  kernelRules: Fleet['kernelRules'] = [];
  outages: Fleet['outages'] = [];
  alerts: Fleet['alerts'] = [];
  alertRules: Fleet['alertRules'] = [];
  webhooks: Fleet['webhooks'] = [];
  deliveries: Fleet['deliveries'] = new Map();
  lines: Fleet['lines'] = [];
  tokens: ApiToken[] = [];
  permissions: readonly Permission[] = ROLES.master;
  username = 'admin';
  role = 'master';
  userId = 1;
  /** Second-factor code of the sign-in; undefined if none is needed. */
  /** Somebody has confirmed the code of the terminal in a browser. */
  isCodeConfirmed = false;
  otp: string | undefined;
  /** If false, changes to sign-ins are refused until the password is confirmed. */
  isConfirmed = true;
  /** Refuses connections. */
  isDown = false;
  /** Refusals by path. */
  readonly refuse = new Map<string, { code: ErrorCode; message?: string }>();
  readonly seen: Seen[] = [];
  /** Filters of the requests for the list of errors. */
  readonly filters: string[] = [];
  users: Fleet['users'] = [];
  sessions: Fleet['sessions'] = [];
  audit: Fleet['audit'] = [];
  required: Fleet['required'] = [];
  /** Endpoints that these tests do not concern, answered by the demo. */
  readonly #others = createFake();
  #sessions = new Set<string>();
  #streams = new Set<ReadableStreamDefaultController<Uint8Array>>();
  #eventId = 0;
  #unknownCode: ErrorCode = 'session_expired';
  #gate: PromiseWithResolvers<void> | undefined;

  constructor() {
    const { on } = this.#others;
    answerFrom(this, this.#others, Date.now);
    on('apiToken.create', ({ body }) => {
      const id = Math.max(0, ...this.tokens.map((token) => token.id)) + 1;
      const made = apiToken(id, { name: body.name ?? '', expire: body.expire ?? 0 });
      this.tokens = [made, ...this.tokens];
      return { ...made, uid: 1, token: this.secret };
    });
    on('change.effects', ({ params: { id } }) => this.effects ?? noEffects(id));
    on('ledger.list', ({ query: { src } }) => ledgerOf(this.ledger, src));
  }

  /** Delays every answer until it is false again. */
  set isSlow(isSlow: boolean) {
    this.#gate?.resolve();
    this.#gate = isSlow ? Promise.withResolvers<void>() : undefined;
  }

  /** Expires every session. */
  expireSessions(): void {
    this.#sessions.clear();
  }

  /** Ends every session and its streams, as revoking does. */
  endSessions(): void {
    this.#unknownCode = 'credential_invalid';
    this.#sessions.clear();
    for (const stream of this.#streams) stream.close();
    this.#streams.clear();
  }

  get subscribers(): number {
    return this.#streams.size;
  }

  /** Breaks the connections of all subscribers. */
  dropStreams(): void {
    for (const stream of this.#streams) stream.error(new Error('connection reset'));
    this.#streams.clear();
  }

  /** Sends an event to all subscribers. */
  emit(type: EventType, data: unknown): void {
    const text = `id: ${++this.#eventId}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
    for (const stream of this.#streams) stream.enqueue(new TextEncoder().encode(text));
  }

  /** Adds a group and sends its event. */
  add(group: ErrlogEntry): void {
    this.errlog = [group, ...this.errlog.filter(({ id }) => id !== group.id)];
    this.emit('errlog.new', group);
  }

  readonly fetch: typeof fetch = async (input, init) => {
    const url = new URL(String(input));
    const signal = init?.signal ?? undefined;
    if (this.isDown)
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) });
    await this.#gate?.promise;
    signal?.throwIfAborted();
    const method = init?.method ?? 'GET';
    const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
    this.seen.push({ method, path: url.pathname, body });
    const headers = new Headers(init?.headers);
    if (url.pathname === '/admin-api/events' && this.#isKnown(headers)) return this.#stream(signal);
    const needsConfirmation = method !== 'GET' && /\/user\/(policy|\d+(\/(2fa|unlock))?)$/.test(url.pathname);
    if (needsConfirmation && !this.isConfirmed) return this.#respond({ code: 'reauthentication_required' });
    if (url.pathname === '/admin-api/log_server/errlog/export') return this.#others.fetch(input, init);
    const isOurs = /^\/admin-api\/(user\/(login|logout|me|me\/confirm|device|device\/token)|log_server\/errlog)$/.test(
      url.pathname,
    );
    if (!isOurs && this.#isKnown(headers) && !this.refuse.has(url.pathname)) return this.#others.fetch(input, init);
    return this.#respond(this.#answer(url, headers, body));
  };

  #respond(reply: Reply): Response {
    if (!('code' in reply)) {
      const body = reply.data === undefined ? { status: 0 } : { status: 0, time: 1, data: reply.data };
      return Response.json(body, { headers: reply.headers ?? {} });
    }
    const { status, message } = ERRORS[reply.code];
    const err = { code: reply.code, request_id: 'req-1' };
    return Response.json({ status, msg: reply.message ?? message, time: 1, err }, { status });
  }

  #isKnown(headers: Headers): boolean {
    return headers.get('api-token') === API_TOKEN || this.#sessions.has(headers.get('edge-token') ?? '');
  }

  #stream(signal: AbortSignal | undefined): Response {
    let leave = (): boolean => false;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        leave = () => this.#streams.delete(controller);
        this.#streams.add(controller);
        controller.enqueue(new TextEncoder().encode(': hello\n\n'));
        signal?.addEventListener('abort', leave);
      },
      cancel: () => void leave(),
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  }

  #answer(url: URL, headers: Headers, body: unknown): Reply {
    const path = url.pathname;
    const refusal = this.refuse.get(path);
    if (refusal !== undefined) return refusal;
    if (path === '/admin-api/user/login')
      return this.#login(body as { username: string; password: string; otp?: string });
    if (path === '/admin-api/user/device') {
      const codes = { user_code: 'BCDF-GHJK', verification_uri: '/device', interval: 0, expires_in: 600 };
      return { data: { device_code: 'of the terminal', ...codes } };
    }
    if (path === '/admin-api/user/device/token') {
      if (!this.isCodeConfirmed) return { code: 'authorization_pending' };
      return this.#login({ username: this.username, password: PASSWORD, ...(this.otp && { otp: this.otp }) });
    }
    if (!this.#isKnown(headers)) return { code: this.#unknownCode };
    const query = (name: string): number | undefined => {
      const value = url.searchParams.get(name);
      return value === null || value === '' ? undefined : Number(value);
    };
    if (path === '/admin-api/user/logout') {
      this.#sessions.delete(headers.get('edge-token') ?? '');
      return {};
    }
    if (path === '/admin-api/user/me/confirm') return this.#confirm(body as { password: string; otp?: string });
    if (path === '/admin-api/user/me') return { data: this.#me(headers) };
    if (path === '/admin-api/log_server/errlog') {
      const levelMax = query('level_max') ?? 8;
      const fingerprint = url.searchParams.get('fingerprint');
      const filter = url.searchParams.get('filter') ?? '';
      this.filters.push(filter);
      const passes = entryTest(filter, Date.now() / 1000);
      const matching = inSpan(this.errlog, query('start_time'), query('end_time')).filter(
        (row) => row.level <= levelMax && (fingerprint === null || row.fingerprint === fingerprint) && passes(row),
      );
      const isRollup = ['1', 'true'].includes(url.searchParams.get('rollup') ?? '');
      const rows = sorted(isRollup ? rolledUp(matching) : matching, url.searchParams.get('sort') ?? '-log_time');
      const page = rows.slice(query('start') ?? 0, query('end') ?? query('page_size') ?? 20);
      return { data: { data: page, meta: { count: rows.length, ...this.errlogMeta } } };
    }
    return { code: 'unknown_path' };
  }

  #login({ username, password, otp }: { username: string; password: string; otp?: string }): Reply {
    if (username !== this.username || password !== PASSWORD) return { code: 'login_failed' };
    if (this.otp !== undefined && otp === undefined) return { code: 'otp_required' };
    if (otp !== this.otp) return { code: 'login_failed' };
    const session = `qd_s_${String(this.#sessions.size + this.seen.length).padStart(49, '0')}`;
    this.#sessions.add(session);
    const at = '2026-01-31 09:05:07.123456';
    return {
      data: {
        _created_unix: at,
        _modified_unix: at,
        username,
        'edge-token': session,
        token: session,
        expire: Date.now() + 1e6,
        id: this.userId,
        role: this.role,
        login_2fa: {},
      },
    };
  }

  #confirm({ password, otp }: { password: string; otp?: string }): Reply {
    if (password !== PASSWORD) return { code: 'login_failed' };
    if (this.otp !== undefined && (otp ?? '') === '') return { code: 'otp_required' };
    if (this.otp !== undefined && otp !== this.otp) return { code: 'login_failed' };
    this.isConfirmed = true;
    return { data: { until: Date.now() + 600_000 } };
  }

  #me(headers: Headers): unknown {
    const isToken = headers.get('api-token') !== null;
    return {
      id: this.userId,
      username: this.username,
      role: this.role,
      permissions: this.permissions,
      second_factor: this.otp !== undefined,
      must_set_up_second_factor: false,
      credential: { kind: isToken ? 'api_token' : 'session', id: 1, expire: 0 },
    };
  }
}

/** Rows in the order of the server; newest first among equal ones. */
function sorted(rows: readonly ErrlogEntry[], sort: string): readonly ErrlogEntry[] {
  const column = sort.replace('-', '') as 'log_time' | 'first_seen' | 'count' | 'level' | 'source';
  if (column === 'log_time' || column === 'first_seen') return rows;
  const sign = sort.startsWith('-') ? -1 : 1;
  return rows.toSorted((a, b) => sign * ((a[column] ?? '') < (b[column] ?? '') ? -1 : Number(a[column] !== b[column])));
}

const lastOf = ({ log_time, log_time_in_range: last = log_time }: ErrlogEntry): number => last;

/** The groups of a span, newest first. A group of a test that tells nothing about the span happened only once. */
function inSpan(groups: readonly ErrlogEntry[], start: number | undefined, end = Number.MAX_SAFE_INTEGER) {
  const asked = groups.map((group): ErrlogEntry => {
    const {
      count_in_range = group.count,
      log_time_in_range = group.log_time,
      log_in_range = group.log,
      ...entry
    } = group;
    return start === undefined ? entry : { ...entry, count_in_range, log_time_in_range, log_in_range };
  });
  return asked
    .filter((group) => start === undefined || (lastOf(group) >= start && lastOf(group) <= end))
    .sort((a, b) => lastOf(b) - lastOf(a) || b.id - a.id);
}

/** Creates a server with this many groups of errors. */
export function serverWithErrors(count: number): FakeServer {
  const server = new FakeServer();
  server.errlog = Array.from({ length: count }, (_, index) => entry(index + 1));
  return server;
}

/** States of the groups by id, as on the server. */
export const statesOf = (server: FakeServer): string =>
  server.errlog
    .toSorted((a, b) => a.id - b.id)
    .map(({ id, state }) => `${id} ${state}`)
    .join(', ');
