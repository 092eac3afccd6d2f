// Who is let in: every endpoint of the contract, called by everybody there can be: nobody, every kind of credential that is
// no good, each role by session and by API token, each role with a token of each scope, agents. What is expected comes
// from the matrix beside this file, which has a row for every endpoint, or the first test fails.
import { type ErrorCode, PERMISSIONS, type Permission, ROLE_NAMES, type RoleName } from '@quarterdeck/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IS_THOROUGH } from '../../../test/thoroughness.ts';
import { newSecret } from '../src/auth/secrets.ts';
import { storeDemandedRoles } from '../src/features/user/policy.repo.ts';
import { exportRoute, metricsRoute, type RawDeps, rawRoutes } from '../src/http/raw.ts';
import { MATRIX, OPEN_PATHS, type Row } from './access-matrix.ts';
import { exampleOf, pathOf, RAW_ROUTES, ROUTES, type Route } from './endpoints.ts';
import { startApi, type TestApi } from './start-api.ts';
import { tokenStore } from './token-store.ts';

const HOUR_MS = 3_600_000;
/** An id that nothing has. */
const NO_ID = 2_147_483_647;

type Headers = Readonly<Record<string, string>>;

/** Somebody who calls, and how a row that is not for anybody has to take it; `undefined` is being let in. */
interface Caller {
  readonly name: string;
  readonly headers: Headers;
  refusal(row: Row): ErrorCode | undefined;
  /** The only agent it may speak for. */
  readonly agentId?: number;
}

let api: TestApi;
let nobody: Caller[];
let passwordHash: string;
beforeAll(async () => {
  api = await startApi();
  passwordHash = await api.server.deps.passwords.hash('nobody will ever type this');
  nobody = await strangers();
});
afterAll(() => api[Symbol.asyncDispose]());

const always = (code: ErrorCode) => () => code;

async function storeSession(userId: number, expireMs: number): Promise<string> {
  const token = newSecret('session');
  const { db, key } = api.server.deps;
  const createdMs = BigInt(api.now());
  await db.write((tx) =>
    tx.prisma.session.create({
      data: {
        userId,
        tokenHash: key.digest(token),
        remember: false,
        address: '',
        client: '',
        createdMs,
        expireMs: BigInt(expireMs),
      },
    }),
  );
  return token;
}

const { storeTokens, storeToken } = tokenStore(() => api);

/** Makes a user who has signed in from here before. */
async function storeUser(role: RoleName): Promise<number> {
  const { db } = api.server.deps;
  const times = { createdMs: BigInt(api.now()), modifiedMs: BigInt(api.now()) };
  return db.write(async (tx) => {
    const username = `${role}-${newSecret('session')}`;
    const { id } = await tx.prisma.user.create({ data: { username, passwordHash, role, ...times } });
    // Wrong passwords of theirs must not use up the budget of everybody here.
    await tx.prisma.knownAddress.create({ data: { userId: id, address: '127.0.0.1', lastMs: BigInt(api.now()) } });
    return id;
  });
}

/** Everybody whom no endpoint but the public ones may let in. */
async function strangers(): Promise<Caller[]> {
  const { db } = api.server.deps;
  const past = api.now() - 1;
  const future = api.now() + HOUR_MS;
  const revoked = await api.admin.apiToken.create({ body: {} });
  await api.admin.apiToken.remove({ params: { id: revoked.id } });
  const ended = await api.person('master');
  await ended.client.user.logout();
  const disabled = await api.person('master');
  const disabledToken = await storeToken(disabled.id);
  await db.write((tx) => tx.prisma.user.update({ where: { id: disabled.id }, data: { disabled: true } }));
  const rotated = await api.admin.apiToken.create({ body: {} });
  await api.admin.apiToken.rotate({ params: { id: rotated.id }, body: {} });
  const farAway = { allowedCidrs: '192.0.2.0/24' };
  const deleted = await api.agent();
  await db.write((tx) => tx.prisma.agent.update({ where: { id: deleted.id }, data: { isDeleted: true } }));
  const replaced = await api.agent();
  await api.agent(replaced.nodeId);

  const invalid = always('credential_invalid');
  const mistyped = newSecret('session').replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));
  return [
    { name: 'nobody', headers: {}, refusal: always('credential_missing') },
    { name: 'empty header', headers: { 'API-Token': '' }, refusal: always('credential_missing') },
    { name: 'nonsense in API-Token', headers: { 'API-Token': 'nonsense' }, refusal: invalid },
    { name: 'nonsense in edge-token', headers: { 'edge-token': '\u00ff'.repeat(300) }, refusal: invalid },
    { name: 'nonsense in Auth', headers: { Auth: '0' }, refusal: invalid },
    { name: 'basic authorization', headers: { Authorization: 'Basic YWRtaW46YWRtaW4=' }, refusal: invalid },
    { name: 'bearer of nothing', headers: { Authorization: 'Bearer' }, refusal: invalid },
    { name: 'mistyped session', headers: { 'edge-token': mistyped }, refusal: invalid },
    { name: 'unknown session', headers: { 'edge-token': newSecret('session') }, refusal: invalid },
    { name: 'unknown API token', headers: { 'API-Token': newSecret('api_token') }, refusal: invalid },
    { name: 'unknown agent', headers: { 'API-Token': newSecret('agent') }, refusal: invalid },
    { name: 'unknown bearer', headers: { Authorization: `Bearer ${newSecret('session')}` }, refusal: invalid },
    {
      name: 'expired session',
      headers: { 'edge-token': await storeSession(1, past) },
      refusal: always('session_expired'),
    },
    {
      name: 'expired API token',
      headers: { 'API-Token': await storeToken(1, { expireMs: past }) },
      refusal: always('token_expired'),
    },
    { name: 'revoked API token', headers: { 'API-Token': revoked.token }, refusal: invalid },
    { name: 'disabled API token', headers: { 'API-Token': await storeToken(1, { disabled: true }) }, refusal: invalid },
    { name: 'replaced API token', headers: { 'API-Token': rotated.token }, refusal: invalid },
    {
      name: 'API token for another address',
      headers: { 'API-Token': await storeToken(1, farAway) },
      refusal: always('address_not_allowed'),
    },
    { name: 'ended session', headers: { 'edge-token': ended.token }, refusal: invalid },
    { name: 'session of a disabled user', headers: { 'edge-token': disabled.token }, refusal: invalid },
    { name: 'API token of a disabled user', headers: { 'API-Token': disabledToken }, refusal: invalid },
    { name: 'deleted agent', headers: { 'API-Token': deleted.secret }, refusal: invalid },
    { name: 'replaced secret of an agent', headers: { 'API-Token': replaced.secret }, refusal: invalid },
    {
      name: 'API token as a session',
      headers: { 'edge-token': await storeToken(1, { expireMs: future }) },
      refusal: invalid,
    },
    {
      name: 'session as an API token',
      headers: { 'API-Token': await storeSession(1, future) },
      refusal: invalid,
    },
  ];
}

/** What a person is refused with. `scopes` are those of the API token, where it has any. */
const personRefusal =
  (role: RoleName, credential: 'session' | 'api_token', scopes?: readonly Permission[]) =>
  (row: Row): ErrorCode | undefined => {
    if ('by' in row) return row.by === 'person' || row.by === credential ? undefined : 'forbidden';
    if (!row.roles.includes(role)) return 'forbidden';
    return scopes === undefined || scopes.includes(row.scope) ? undefined : 'scope_missing';
  };

const agentRefusal = (row: Row): ErrorCode | undefined => {
  const isLetIn = 'by' in row ? row.by === 'agent' : row.agents === true;
  return isLetIn ? undefined : 'forbidden';
};

/** Everybody with a good credential, made anew: a route may end the credential it is called with. */
async function known(): Promise<Caller[]> {
  const callers: Caller[] = [];
  for (const role of ROLE_NAMES) {
    const id = await storeUser(role);
    const refusal = personRefusal(role, 'api_token');
    const [token = '', bearer] = await storeTokens(id, [{}, {}]);
    const session = await storeSession(id, api.now() + HOUR_MS);
    callers.push(
      { name: `${role} by session`, headers: { 'edge-token': session }, refusal: personRefusal(role, 'session') },
      { name: `${role} by API token`, headers: { 'API-Token': token }, refusal },
      { name: `${role} by bearer`, headers: { Authorization: `Bearer ${bearer}` }, refusal },
    );
  }
  const agent = await api.agent();
  const other = await api.agent();
  callers.push(
    { name: 'agent', headers: { 'API-Token': agent.secret }, refusal: agentRefusal, agentId: agent.id },
    {
      name: 'agent by bearer',
      headers: { Authorization: `Bearer ${agent.secret}` },
      refusal: agentRefusal,
      agentId: agent.id,
    },
    { name: 'another agent', headers: { 'API-Token': other.secret }, refusal: agentRefusal },
  );
  return callers;
}

/**
 * Each role with an API token of no scope, of the one that the row names, and of all but that one; where everything is
 * tried, of each one and of all but each.
 */
async function limited(row: Row): Promise<Caller[]> {
  const named = 'scope' in row ? [row.scope] : PERMISSIONS.slice(0, 1);
  const single: readonly Permission[] = IS_THOROUGH ? PERMISSIONS : named;
  const sets = [
    [],
    ...single.map((scope) => [scope]),
    ...single.map((left) => PERMISSIONS.filter((scope) => scope !== left)),
  ];
  const names = ['nothing', ...single, ...single.map((left) => `all but ${left}`)];
  const callers: Caller[] = [];
  for (const role of ROLE_NAMES) {
    const tokens = await storeTokens(
      await storeUser(role),
      sets.map((scopes) => ({ scopes })),
    );
    for (const [i, scopes] of sets.entries()) {
      const headers = { 'API-Token': tokens[i] ?? '' };
      const name = `${role} by API token for ${names[i]}`;
      callers.push({ name, headers, refusal: personRefusal(role, 'api_token', scopes) });
    }
  }
  return callers;
}

/** What a route answers, in two words: the status and the code. A stream is hung up on once it has begun. */
async function answer(route: Route, url: string, headers: Headers, body: string | undefined): Promise<string> {
  const response = await fetch(api.url + url, {
    method: route.method,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body }),
  });
  // Outside the contract a success has no envelope; the event stream has no end either.
  if (response.status === 200 && !response.headers.get('content-type')?.startsWith('application/json')) {
    await response.body?.cancel();
    return '200 let in';
  }
  const { status, err } = JSON.parse(await response.text());
  return response.status === 200 && status === 0 ? '200 let in' : `${response.status} ${err.code}`;
}

/** Answers that say something about the caller and not about what they sent. */
const REFUSAL = /^(401 (?!login_failed)|403 )/;
const HTTP = {
  credential_missing: 401,
  credential_invalid: 401,
  session_expired: 401,
  token_expired: 401,
  forbidden: 403,
  scope_missing: 403,
  address_not_allowed: 403,
  second_factor_demanded: 403,
} as Partial<Record<ErrorCode, number>>;

/** The row of a route; one endpoint may answer to several methods. */
function rowOf({ name }: Route): Row {
  const row = MATRIX[name.split(' ')[0] ?? ''];
  if (row === undefined) throw new Error(`test/access-matrix.ts has no row for ${name}`);
  return row;
}

const expected = (route: Route, caller: Caller): string => {
  const row = rowOf(route);
  const code = 'by' in row && row.by === 'anybody' ? undefined : caller.refusal(row);
  return code === undefined ? 'let in' : `${HTTP[code]} ${code}`;
};

const seen = (outcome: string): string => (REFUSAL.test(outcome) ? outcome : 'let in');

/** Calls a route as everybody; returns who got which answer, and who should have. */
async function callAs(
  route: Route,
  callers: readonly Caller[],
  request: (caller: Caller) => [string, string | undefined],
) {
  const got: Record<string, string> = {};
  const wanted: Record<string, string> = {};
  // At the same time, as nobody's credential is another's.
  await Promise.all(
    callers.map(async (caller) => {
      const [url, body] = request(caller);
      wanted[caller.name] = expected(route, caller);
      got[caller.name] = await answer(route, url, caller.headers, body);
    }),
  );
  return { got, wanted };
}

const withoutBody = ({ method, endpoint }: Route) => method === 'GET' || endpoint.body === undefined;

/** The smallest body that a route takes. */
const bodyFor = (route: Route) =>
  withoutBody(route) || route.endpoint.body === undefined ? undefined : JSON.stringify(exampleOf(route.endpoint.body));

describe('the matrix', () => {
  it('has a row for every endpoint, and no other', () => {
    const endpoints = new Set([...ROUTES, ...RAW_ROUTES].map(({ name }) => name.split(' ')[0]));
    expect(Object.keys(MATRIX).sort()).toEqual([...endpoints].sort());
  });

  it('knows every path outside the contract', () => {
    const deps = { serve: new Set(['admin', 'console']) } as unknown as RawDeps;
    const routers = [rawRoutes(deps), metricsRoute(deps), exportRoute(deps)];
    const paths = routers.flatMap(({ stack }) => stack.flatMap(({ route }) => route?.path ?? []));
    expect([...new Set(paths)].sort()).toEqual([...OPEN_PATHS, ...RAW_ROUTES.map(({ path }) => path)].sort());
  });
});

it.each(OPEN_PATHS)('GET %s needs no credential, and a wrong one is no matter', async (path) => {
  for (const { headers } of nobody) expect((await fetch(api.url + path, { headers })).status).toBe(200);
});

describe.each([...ROUTES, ...RAW_ROUTES])('$method $path ($name)', (route) => {
  const body = bodyFor(route);

  it('lets in whom its row names and nobody else', async () => {
    const callers = [...nobody, ...(await known()), ...(await limited(rowOf(route)))];
    const { got, wanted } = await callAs(route, callers, ({ agentId }) => [pathOf(route, agentId ?? NO_ID), body]);
    expect(Object.fromEntries(Object.entries(got).map(([name, outcome]) => [name, seen(outcome)]))).toEqual(wanted);
    // Whoever is let in and sends what the route takes is never told of a fault on our side.
    for (const [name, outcome] of Object.entries(got)) expect(outcome, name).not.toMatch(/^5/);
  });

  it('decides that before it looks at what was sent', async () => {
    const callers = [...nobody, ...(await known())];
    const path = pathOf(route, 'x');
    const garbage = `${path}?detail=x&page=x&_page=x&types=x&page_size=-1&node_id=x&online=x&name=${'x'.repeat(300)}`;
    const { got, wanted } = await callAs(route, callers, () => [garbage, withoutBody(route) ? undefined : '{"']);
    expect(Object.fromEntries(Object.entries(got).map(([name, outcome]) => [name, seen(outcome)]))).toEqual(wanted);
    const { params, query } = route.endpoint;
    if (params === undefined && query === undefined && withoutBody(route)) return;
    for (const [name, outcome] of Object.entries(got)) {
      if (wanted[name] === 'let in') expect(outcome, name).toMatch(/^400 (malformed_json|validation_failed)$/);
    }
  });
});

describe.each(ROUTES.filter(({ access }) => access === 'agent'))('$method $path ($name)', (route) => {
  it('shows an agent nothing of another one', async () => {
    const [agent, other] = [await api.agent(), await api.agent()];
    const headers = { 'API-Token': agent.secret };
    const body = bodyFor(route);
    expect(await answer(route, pathOf(route, agent.id), headers, body)).toBe('200 let in');
    expect(await answer(route, pathOf(route, other.id), headers, body)).toBe('404 not_found');
    expect(await answer(route, pathOf(route, NO_ID), headers, body)).toBe('404 not_found');
  });
});

describe('a role that must have a second factor and has none', () => {
  it('is let in where it can set one up, and told so everywhere else', async () => {
    const { db } = api.server.deps;
    const demand = (roles: RoleName[]) => db.write((tx) => storeDemandedRoles(tx, roles));
    const refusal = (kind: 'session' | 'api_token') => (row: Row) => {
      const usual = personRefusal('operator', kind)(row);
      return usual === undefined && 'roles' in row ? 'second_factor_demanded' : usual;
    };
    for (const route of [...ROUTES, ...RAW_ROUTES]) {
      const id = await storeUser('operator');
      const session = await storeSession(id, api.now() + HOUR_MS);
      const callers: Caller[] = [
        { name: 'by session', headers: { 'edge-token': session }, refusal: refusal('session') },
        { name: 'by API token', headers: { 'API-Token': await storeToken(id) }, refusal: refusal('api_token') },
      ];
      await demand(['operator']);
      // Whatever comes of it, the other tests are about roles of which nothing is demanded.
      const { got, wanted } = await callAs(route, callers, () => [pathOf(route, NO_ID), bodyFor(route)]).finally(() =>
        demand([]),
      );
      expect(
        Object.fromEntries(Object.entries(got).map(([name, outcome]) => [name, seen(outcome)])),
        route.name,
      ).toEqual(wanted);
    }
  });
});
