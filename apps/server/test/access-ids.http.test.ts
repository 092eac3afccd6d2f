// Own ids and foreign ids: calls every endpoint with an id in its path with every kind of credential, for the caller's
// own object and for one of another caller. The matrices beside this file hold the expected answers.
import { randomUUID } from 'node:crypto';
import { type Contract, contract, PERMISSIONS, type Permission, ROLE_NAMES, type RoleName } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../test/non-empty.ts';
import { everyThird } from '../../../test/thoroughness.ts';
import { newSecret } from '../src/auth/secrets.ts';
import { formatScopes } from '../src/auth/token-scopes.ts';
import { MATRIX, type Row } from './access-matrix.ts';
import { accessCalls, agentRefusal, bodyFor, type Caller, HOUR_MS, HTTP, personRefusal, rowOf } from './callers.ts';
import { pathOf, ROUTES } from './endpoints.ts';
import { ID_MATRIX, type IdRow, type Outcome, type Outcomes, OWNED_BY_NOBODY } from './id-matrix.ts';
import { useSharedApi } from './start-api.ts';

const api = useSharedApi();

const { answer } = accessCalls(() => api);

/** Kinds of callers that the rows distinguish. */
interface Comes {
  readonly by: 'confirmed' | 'session' | 'token';
  readonly isManager: boolean;
}

type Comer = Caller & Comes & { readonly id: Readonly<Record<IdRow['of'], number>> };

/** Creates a user with one object of each kind, in one write. */
async function storePerson(role: RoleName, scopes: readonly Permission[] | null = null, confirmed = true) {
  const { db, key } = api.server.deps;
  const [session, secret] = [newSecret('session'), newSecret('api_token')];
  const createdMs = BigInt(api.now());
  const tokenOf = (text: string) => ({ tokenHash: key.digest(text), createdMs });
  const sessions = {
    ...tokenOf(session),
    remember: false,
    address: '',
    client: '',
    expireMs: createdMs + BigInt(HOUR_MS),
    confirmedMs: confirmed ? createdMs : 0n,
  };
  const token = { name: '', tokenTail: '', modifiedMs: createdMs, scopes: formatScopes(scopes) };
  const apiTokens = { ...tokenOf(secret), ...token };
  const data = {
    username: randomUUID(),
    passwordHash: '',
    role,
    createdMs,
    modifiedMs: createdMs,
    sessions: { create: sessions },
    apiTokens: { create: apiTokens },
  };
  const include = { sessions: true, apiTokens: true };
  const stored = await db.write((tx) => tx.prisma.user.create({ data, include }));
  const id = {
    user: stored.id,
    session: stored.sessions[0]?.id ?? 0,
    api_token: stored.apiTokens[0]?.id ?? 0,
    agent: 0,
  };
  return { session, secret, id };
}

/** Creates a caller. */
type Make = () => Promise<Comer>;

/** Every kind of credential for a role, each of another user. */
function people(role: RoleName, row: Row): Make[] {
  const sessions = [true, false].map((confirmed) => async (): Promise<Comer> => {
    const { session, id } = await storePerson(role, undefined, confirmed);
    const by = confirmed ? 'confirmed' : 'session';
    const refusal = personRefusal(role, { kind: 'session', confirmed });
    const headers = { 'edge-token': session };
    return { name: `${role} by ${by}`, headers, refusal, by, isManager: role === 'master', id };
  });
  const named = 'scope' in row ? row.scope : 'errlog:read';
  const sets = [undefined, [named], PERMISSIONS.filter((scope) => scope !== named)];
  const tokens = sets.map((scopes, i) => async (): Promise<Comer> => {
    const { secret, id } = await storePerson(role, scopes);
    const name = `${role} by API token for ${['all', 'one scope', 'all but one scope'][i]}`;
    const refusal = personRefusal(role, { kind: 'api_token', scopes });
    const isManager = role === 'master' && (scopes?.includes('api_token:manage') ?? true);
    return { name, headers: { 'API-Token': secret }, refusal, by: 'token', isManager, id };
  });
  return [...sessions, ...tokens];
}

async function agent(): Promise<Comer> {
  const made = await api.agent();
  const id = { user: 1, session: 1, api_token: 1, agent: made.id };
  return {
    name: 'agent',
    headers: { 'API-Token': made.secret },
    refusal: agentRefusal,
    by: 'token',
    isManager: false,
    id,
  };
}

async function enrollment(): Promise<Comer> {
  const { token } = await api.admin.enrollment.create({ body: { name: 'x' } });
  const id = { user: 1, session: 1, api_token: 1, agent: 1 };
  const refusal = (row: Row) => ('scope' in row && row.scope === 'agent:enroll' ? undefined : 'forbidden');
  return { name: 'enrollment token', headers: { 'API-Token': token }, refusal, by: 'token', isManager: false, id };
}

function outcomeFor(outcomes: Outcomes, { by, isManager }: Comes): Outcome {
  if (typeof outcomes === 'string') return outcomes;
  if ('manager' in outcomes) return isManager ? outcomes.manager : outcomes.others;
  return outcomes[by];
}

/** Compares only refusals about the caller or the id. */
const seen = (answer: string): string => (/^40[134] /.test(answer) ? answer : 'ok');

it('has a row for every endpoint with an id in its path, and no other', () => {
  const withId = Object.entries(contract as Contract).flatMap(([noun, table]) =>
    Object.entries(table).flatMap(([verb, { path }]) => (path.includes('{') ? [`${noun}.${verb}`] : [])),
  );
  const named = new Set([...ID_MATRIX.map(({ endpoint }) => endpoint), ...OWNED_BY_NOBODY]);
  expect([...named].sort()).toEqual(withId.sort());
  for (const endpoint of named) expect(MATRIX).toHaveProperty([endpoint]);
});

const about = (row: IdRow) => ({
  ...row,
  title: `${row.endpoint}${row.body === undefined ? '' : ` with ${Object.keys(row.body)}`}`,
});

describe.each(nonEmpty(ID_MATRIX.map(about)))('$title', ({ endpoint, of, body, own, other }) => {
  const route = ROUTES.find(({ name }) => name === endpoint);
  if (route === undefined) throw new Error(`the contract has no ${endpoint}`);
  const row = rowOf(route);
  const sent = body === undefined ? bodyFor(route) : JSON.stringify(body);

  it.each([
    ['own', own],
    ['other', other],
  ] as const)('with an id of one’s %s', async (whose, outcomes) => {
    // No agent belongs to a person.
    const roles = of === 'agent' ? [] : ROLE_NAMES;
    const at = ID_MATRIX.findIndex((one) => one.endpoint === endpoint && one.body === body);
    const makers = everyThird(
      roles.flatMap((role) => people(role, row)),
      at,
    );
    const comers = await Promise.all([agent, enrollment, ...makers].map((make) => make()));
    const got: Record<string, string> = {};
    const wanted: Record<string, string> = {};
    await Promise.all(
      comers.map(async (comer) => {
        const role = ROLE_NAMES.find((name) => comer.name.startsWith(name)) ?? 'viewer';
        const theirs = whose === 'own' ? comer.id : of === 'agent' ? (await agent()).id : (await storePerson(role)).id;
        const code = comer.refusal(row) ?? outcomeFor(outcomes, comer);
        wanted[comer.name] = code === 'ok' ? 'ok' : `${HTTP[code]} ${code}`;
        got[comer.name] = seen(await answer(route, pathOf(route, theirs[of]), comer.headers, sent));
      }),
    );
    expect(got).toEqual(wanted);
  });
});
