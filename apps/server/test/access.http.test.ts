// Access: calls endpoints without a credential and with every kind of invalid one. Then with each role by session and
// by API token, with a token of each scope, and as an agent. The matrix beside this file holds the expected answers;
// the first tests compare it with the contract: every endpoint, role and scope.
import {
  type Actor,
  AGENT_PERMISSIONS,
  AppError,
  type ErrorCode,
  PERMISSIONS,
  type Permission,
  permissionsOf,
  ROLE_NAMES,
  type RoleName,
} from '@quarterdeck/core';
import { authorize } from '@quarterdeck/express/parts';
import { beforeAll, describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../test/non-empty.ts';
import { everyNth, everyThird, IS_THOROUGH } from '../../../test/thoroughness.ts';
import { newSecret } from '../src/auth/secrets.ts';
import { storeSecondFactorRoles } from '../src/features/user/policy.repo.ts';
import { type OidcDeps, oidcRoutes } from '../src/http/oidc-routes.ts';
import { exportRoute, type RawDeps, rawRoutes, toolsRoute } from '../src/http/raw.ts';
import { MATRIX, OPEN_PATHS, type Row } from './access-matrix.ts';
import {
  accessCalls,
  agentRefusal,
  bodyFor,
  type Caller,
  HOUR_MS,
  HTTP,
  NO_ID,
  personRefusal,
  rowOf,
  withoutBody,
} from './callers.ts';
import { pathOf, RAW_ROUTES, ROUTES, type Route } from './endpoints.ts';
import { useApi } from './start-api.ts';
import { tokenStore } from './token-store.ts';
import { userActor } from './user-actor.ts';

const ALL_ROUTES = [...ROUTES, ...RAW_ROUTES];

const api = useApi();
let nobody: Caller[];
/** Callers whose credential no route ends, by the scope that their tokens distinguish. */
const lasting = new Map<string, Promise<Caller[]>>();
beforeAll(async () => {
  nobody = await strangers();
});

const always = (code: ErrorCode) => () => code;

const { storeTokens, storeToken } = tokenStore(() => api);
const { storeSession, storeUser, answer } = accessCalls(() => api);

/** Callers that only public endpoints may accept. */
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
      headers: { 'edge-token': (await storeSession(1, past)).secret },
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
      headers: { 'API-Token': (await storeSession(1, future)).secret },
      refusal: invalid,
    },
  ];
}

/** Callers with a valid credential for a route, new ones if the route may end them. */
function callersFor(row: Row, make: 'known' | 'limited'): Promise<Caller[]> {
  const created = () => (make === 'known' ? known() : limited(row));
  if ('by' in row) return created();
  const name = make === 'known' ? make : row.scope;
  const callers = lasting.get(name) ?? created();
  lasting.set(name, callers);
  return callers;
}

/** Creates callers with a valid credential. */
async function known(): Promise<Caller[]> {
  const callers: Caller[] = [];
  for (const role of ROLE_NAMES) {
    const id = await storeUser(role);
    const refusal = personRefusal(role, { kind: 'api_token' });
    const [token = '', bearer] = await storeTokens(id, [{}, {}]);
    for (const confirmed of [true, false]) {
      const { secret } = await storeSession(id, api.now() + HOUR_MS, confirmed);
      const name = `${role} by ${confirmed ? 'confirmed ' : ''}session`;
      const headers = { 'edge-token': secret };
      callers.push({ name, headers, refusal: personRefusal(role, { kind: 'session', confirmed }) });
    }
    callers.push(
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
 * Each role with an API token without scopes, with the scope of the row, and with all other scopes. The long run tries
 * each scope alone and each one missing.
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
      callers.push({ name, headers, refusal: personRefusal(role, { kind: 'api_token', scopes }) });
    }
  }
  return callers;
}

/** Answers about the caller, not about the input. */
const REFUSAL = /^(401 (?!login_failed)|403 )/;

const expected = (route: Route, caller: Caller): string => {
  const row = rowOf(route);
  const code = 'by' in row && row.by === 'anybody' ? undefined : caller.refusal(row);
  return code === undefined ? 'let in' : `${HTTP[code]} ${code}`;
};

const seen = (outcome: string): string => (REFUSAL.test(outcome) ? outcome : 'let in');

const CALLERS_AT_ONCE = 12;

/** Calls a route as every caller, checks who is let in, and returns the answers by caller. */
async function callAs(
  route: Route,
  callers: readonly Caller[],
  request: (caller: Caller) => [string, string | undefined],
): Promise<Record<string, string>> {
  const got: Record<string, string> = {};
  // At the same time: no caller shares a credential. Not more than may wait for a search, or some would be refused.
  for (let i = 0; i < callers.length; i += CALLERS_AT_ONCE) {
    await Promise.all(
      callers.slice(i, i + CALLERS_AT_ONCE).map(async (caller) => {
        const [url, body] = request(caller);
        got[caller.name] = await answer(route, url, caller.headers, body);
      }),
    );
  }
  const wanted = Object.fromEntries(callers.map((caller) => [caller.name, expected(route, caller)]));
  const outcomes = Object.fromEntries(Object.entries(got).map(([name, outcome]) => [name, seen(outcome)]));
  expect(outcomes, route.name).toEqual(wanted);
  return got;
}

/** The authorization of an actor, beside the answer that the matrix expects. */
interface Known {
  readonly name: string;
  readonly actor: Actor | null;
  readonly refusal: Caller['refusal'];
}

/** Actors of every role with every kind of credential: API tokens for all, for each one, and for all but one scope. */
function knownActors(): Known[] {
  const single = PERMISSIONS.flatMap((scope) => [[scope], PERMISSIONS.filter((other) => other !== scope)]);
  const credentials = [
    { kind: 'session', confirmed: true, scopes: undefined },
    { kind: 'session', confirmed: false, scopes: undefined },
    ...[undefined, [], ...single].map((scopes) => ({ kind: 'api_token', confirmed: false, scopes }) as const),
  ] as const;
  const people = ROLE_NAMES.flatMap((role) =>
    credentials.map(({ kind, confirmed, scopes }): Known => {
      const { credential, ...actor } = userActor(1, { kind, id: 1 });
      const permissions = permissionsOf(role).filter((one) => scopes === undefined || scopes.includes(one));
      return {
        name: `${role} by ${kind} for ${scopes ?? 'all'}${confirmed ? ', confirmed' : ''}`,
        actor: { ...actor, role, permissions, credential: { ...credential, confirmed } },
        refusal: personRefusal(role, { kind, confirmed, scopes }),
      };
    }),
  );
  const agent = { kind: 'agent', agentId: 1, permissions: AGENT_PERMISSIONS } as const;
  return [
    ...people,
    { name: 'nobody', actor: null, refusal: always('credential_missing') },
    { name: 'agent', actor: agent, refusal: agentRefusal },
  ];
}

function codeOf(authorization: () => void): ErrorCode | undefined {
  try {
    authorization();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

describe('the matrix', () => {
  it('grants and refuses what the contract grants and refuses, to every role and scope', () => {
    const actors = knownActors();
    for (const route of nonEmpty(ALL_ROUTES)) {
      const { data: _, ...row } = { data: undefined, ...rowOf(route) };
      const isOpen = 'by' in row && row.by === 'anybody';
      const got = actors.map(({ name, actor }) => [name, codeOf(() => authorize(route.access, actor))]);
      const wanted = actors.map(({ name, refusal }) => [name, isOpen ? undefined : refusal(row)]);
      expect(got, route.name).toEqual(wanted);
    }
  });

  it('has a row for every endpoint, and no other', () => {
    const endpoints = new Set(ALL_ROUTES.map(({ name }) => name.split(' ')[0]));
    expect(Object.keys(MATRIX).sort()).toEqual([...endpoints].sort());
  });

  it('knows every path outside the contract', () => {
    const deps = { serve: new Set(['admin', 'console']) } as unknown as RawDeps;
    const routers = [
      rawRoutes(deps),
      exportRoute(deps),
      toolsRoute(deps, () => {}),
      oidcRoutes({} as unknown as OidcDeps),
    ];
    const paths = routers.flatMap(({ stack }) => stack.flatMap(({ route }) => route?.path ?? []));
    const named = paths.map((path) => path.replaceAll(/:(\w+)/g, '{$1}'));
    expect([...new Set(named)].sort()).toEqual([...OPEN_PATHS, ...RAW_ROUTES.map(({ path }) => path)].sort());
  });
});

it.each(nonEmpty(OPEN_PATHS))('GET %s needs no credential, and a wrong one is no matter', async (path) => {
  for (const { headers } of everyThird(nobody, OPEN_PATHS.indexOf(path)))
    expect((await fetch(api.url + path, { headers })).status).toBe(200);
});

describe.each(nonEmpty(everyThird(ALL_ROUTES, 0)))('$method $path ($name)', (route) => {
  const body = bodyFor(route);
  const row = rowOf(route);
  // Each route with other callers, so that all routes together have all of them.
  const some = (...callers: Caller[][]) => everyNth(6, callers.flat(), Math.floor(ALL_ROUTES.indexOf(route) / 3));

  it('allows the callers of its row and nobody else', async () => {
    const callers = some(nobody, await callersFor(row, 'known'), await callersFor(row, 'limited'));
    const got = await callAs(route, callers, ({ agentId }) => [pathOf(route, agentId ?? NO_ID), body]);
    // Accepted callers with valid input never get a server error.
    for (const [name, outcome] of Object.entries(got)) expect(outcome, name).not.toMatch(/^5/);
  });

  it('authorizes before it checks the input', async () => {
    const { params, query, unknownInput } = route.endpoint;
    const ignores = unknownInput === 'ignored';
    // Others refuse the unknown parameters.
    const hasNoInput = ignores && params === undefined && query === undefined && withoutBody(route);
    const refusal = ignores ? /^400 (malformed_json|validation_failed)$/ : /^400 (malformed_json|unknown_field)$/;
    const callers = some(nobody, await callersFor(row, 'known'));
    const path = pathOf(route, 'x');
    const garbage = `${path}?detail=x&page=x&_page=x&types=x&page_size=-1&node_id=x&src=x&online=x&after=x&name=${'x'.repeat(300)}`;
    const got = await callAs(route, callers, () => [garbage, withoutBody(route) ? undefined : '{"']);
    if (hasNoInput) return;
    for (const [name, outcome] of Object.entries(got)) {
      if (seen(outcome) === 'let in') expect(outcome, name).toMatch(refusal);
    }
  });
});

describe.each(nonEmpty(ROUTES.filter(({ access }) => access === 'agent')))('$method $path ($name)', (route) => {
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
  it('is allowed to set one up, and refused everywhere else with that reason', async () => {
    const { db } = api.server.deps;
    const demand = (roles: RoleName[]) => db.write((tx) => storeSecondFactorRoles(tx, roles));
    const refusal = (kind: 'session' | 'api_token') => (row: Row) => {
      const usual = personRefusal('operator', { kind })(row);
      return usual === undefined && 'roles' in row ? 'second_factor_demanded' : usual;
    };
    for (const route of nonEmpty(everyThird(ALL_ROUTES, 1))) {
      const id = await storeUser('operator');
      const { secret: session } = await storeSession(id, api.now() + HOUR_MS);
      const callers: Caller[] = [
        { name: 'by session', headers: { 'edge-token': session }, refusal: refusal('session') },
        { name: 'by API token', headers: { 'API-Token': await storeToken(id) }, refusal: refusal('api_token') },
      ];
      await demand(['operator']);
      // The other tests need roles without this policy, whatever the outcome.
      await callAs(route, callers, () => [pathOf(route, NO_ID), bodyFor(route)]).finally(() => demand([]));
    }
  });
});
