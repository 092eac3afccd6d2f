// Actions that need a session which signed in, or was confirmed, within the last ten minutes; and ways around that.
import { randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { PASSWORD, type TestApi, useApi } from '../../../test/start-api.ts';
import { userAdmin } from './user-admin.ts';

const MINUTE_MS = 60_000;
const NEW_PASSWORD = 'eleven tugboats at anchor';

const api = useApi();

const signIn = async (username: string, password: string) =>
  (await api.fetch('/admin-api/user/login', { method: 'POST', body: JSON.stringify({ username, password }) })).status;

/** Changes of how somebody else signs in, or of what they may do at all. */
const GUARDED = ['password', 'second factor', 'policy', 'unlock', 'role', 'deletion'] as const;

const acts = (client: TestApi['admin'], id: number) => ({
  password: () => client.user.update({ params: { id }, body: { password: NEW_PASSWORD } }),
  'second factor': () => client.user.resetSecondFactor({ params: { id } }),
  policy: () => client.user.updatePolicy({ body: { require_2fa: [] } }),
  unlock: () => client.user.unlock({ params: { id } }),
  role: () => client.user.update({ params: { id }, body: { role: 'operator' } }),
  deletion: () => client.user.remove({ params: { id } }),
});

describe.each(nonEmpty(GUARDED))('a change of the %s of another user', (act) => {
  it('needs a session that signed in or was confirmed within ten minutes', async () => {
    const master = await api.person('master');
    await acts(master.client, (await api.person('viewer')).id)[act]();
    const { id } = await api.person('viewer');
    api.advance(10 * MINUTE_MS);
    await expect(acts(master.client, id)[act]()).rejects.toMatchObject({
      status: 403,
      code: 'reauthentication_required',
      message: expect.stringContaining('POST /admin-api/user/me/confirm'),
    });
    const before = api.now();
    const { until } = await master.client.user.confirm({ body: { password: PASSWORD } });
    expect(until).toBeGreaterThanOrEqual(before + 10 * MINUTE_MS);
    expect(until).toBeLessThanOrEqual(api.now() + 10 * MINUTE_MS);
    api.advance(9 * MINUTE_MS);
    await acts(master.client, id)[act]();
  });
});

describe('a session that was not confirmed lately', () => {
  it('creates, renames and disables users, and ends their sessions', async () => {
    const { client } = await api.person('master');
    api.advance(11 * MINUTE_MS);
    const username = `new-${api.now()}`;
    const { id } = await client.user.create({ body: { username, password: NEW_PASSWORD, role: 'viewer' } });
    const params = { id };
    await client.user.update({ params, body: { username: `${username}-2`, role: 'viewer' } });
    await client.user.update({ params, body: { disabled: true } });
    await client.user.endSessions({ params });
    expect(await client.user.get({ params })).toMatchObject({ username: `${username}-2`, disabled: true });
  });
});

describe('the own password and second factor', () => {
  it('are not changed at the endpoints for other users, by session or by API token', async () => {
    const { client, id, username } = await api.person('master');
    const { token } = await client.apiToken.create({ body: { scopes: ['user:write'] } });
    for (const { user } of [client, api.using(token)]) {
      await expect(user.update({ params: { id }, body: { password: NEW_PASSWORD } })).rejects.toMatchObject({
        status: 403,
        code: 'forbidden',
        message: expect.stringContaining('PUT /admin-api/user/me/password'),
      });
      await expect(user.resetSecondFactor({ params: { id } })).rejects.toMatchObject({ status: 403 });
    }
    await expect(client.user.resetSecondFactor({ params: { id } })).rejects.toMatchObject({
      message: expect.stringContaining('DELETE /admin-api/user/me/2fa'),
    });
    expect(await signIn(username, PASSWORD)).toBe(200);
    await client.user.update({ params: { id }, body: { username: `${username}-2` } });
  });
});

describe('an API token that may write users', () => {
  it('changes no password, second factor, lock or policy', async () => {
    const { token } = await (await api.person('master')).client.apiToken.create({ body: {} });
    const person = await api.person('viewer');
    const all = acts(api.using(token), person.id);
    for (const act of ['password', 'second factor', 'policy', 'unlock'] as const) {
      await expect(all[act](), act).rejects.toMatchObject({ status: 403, code: 'forbidden' });
    }
    expect(await signIn(person.username, PASSWORD)).toBe(200);
  });

  it('creates, changes and deletes users of the least role', async () => {
    const { token } = await (await api.person('master')).client.apiToken.create({ body: { scopes: ['user:write'] } });
    const { user } = api.using(token);
    const body = { username: `made-${api.now()}`, password: NEW_PASSWORD, role: 'viewer' as const };
    const { id } = await user.create({ body });
    for (const disabled of [true, false]) await user.update({ params: { id }, body: { disabled } });
    await user.remove({ params: { id } });
    expect(await signIn(body.username, NEW_PASSWORD)).toBe(401);
  });

  it('makes nobody who may do more than itself', async () => {
    const { client } = await api.person('master');
    const { token } = await client.apiToken.create({ body: { scopes: ['user:write', 'errlog:manage'] } });
    const operator = await api.person('operator');
    await client.user.update({ params: { id: operator.id }, body: { disabled: true } });
    const viewer = { params: { id: (await api.person('viewer')).id } };
    const name = () => ({ username: `more-${randomUUID()}`, password: NEW_PASSWORD, role: 'operator' as const });
    const attempts = ({ user }: Pick<TestApi['admin'], 'user'>) => [
      () => user.create({ body: name() }),
      () => user.update({ ...viewer, body: { role: 'operator' } }),
      () => user.update({ params: { id: operator.id }, body: { disabled: false } }),
    ];
    for (const attempt of attempts(api.using(token)))
      await expect(attempt()).rejects.toMatchObject({ code: 'scope_missing' });
    const whole = await client.apiToken.create({ body: {} });
    for (const attempt of attempts(api.using(whole.token))) await attempt();
  });

  it.each(['session', 'api_token'] as const)(
    'and an unconfirmed session leave those who manage users alone: by %s',
    async (by) => {
      const { client } = await api.person('master');
      const { token } = await client.apiToken.create({ body: {} });
      const own = { params: { id: (await client.user.me()).id } };
      await api.admin.user.confirm({ body: { password: PASSWORD } });
      const [other, gone] = [await api.person('master'), await api.person('master')];
      const viewer = { params: { id: (await api.person('viewer')).id } };
      await api.admin.user.update({ params: { id: gone.id }, body: { disabled: true } });
      const { user } = by === 'session' ? client : api.using(token);
      api.advance(11 * MINUTE_MS);
      const made = { username: `master-${randomUUID()}`, password: NEW_PASSWORD, role: 'master' as const };
      const attempts = [
        () => user.create({ body: made }),
        () => user.update({ ...viewer, body: { role: 'master' } }),
        () => user.update({ params: { id: gone.id }, body: { disabled: false } }),
        ...[own, { params: { id: other.id } }].flatMap((whose) => [
          () => user.update({ ...whose, body: { role: 'viewer' } }),
          () => user.update({ ...whose, body: { disabled: true } }),
          () => user.remove(whose),
        ]),
      ];
      const code = by === 'session' ? 'reauthentication_required' : 'forbidden';
      for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ status: 403, code });
      expect(await signIn(made.username, NEW_PASSWORD)).toBe(401);
    },
  );

  it('neither gives a role above its owner’s nor changes a user who has one', async () => {
    // No role but master may write users today: an actor is made up as if operators could.
    const admin = userAdmin(api.server.deps);
    const person = await api.person('operator');
    const master = await api.person('master');
    const credential = { kind: 'session', id: 0, name: '', errlogFilter: '', expireMs: 0, confirmed: true } as const;
    const actor = {
      ...({ kind: 'user', userId: person.id, username: person.username, role: 'operator' } as const),
      ...{ permissions: ['user:write'] as const, secondFactor: false, mustSetUpSecondFactor: false, scopes: null },
      errlogFilter: '',
      credential,
    };
    const call = { actor, request: { id: '', address: '', client: '' } };
    const params = { id: master.id };
    const user = { username: `by-operator-${api.now()}`, password: NEW_PASSWORD };
    const viewer = await admin.create({ ...call, body: { ...user, role: 'viewer' } });
    const refused = [
      () => admin.create({ ...call, body: { ...user, username: 'another', role: 'master' } }),
      () => admin.update({ ...call, params: { id: viewer.id }, body: { role: 'master' } }),
      () => admin.update({ ...call, params, body: { password: NEW_PASSWORD } }),
      () => admin.update({ ...call, params, body: { role: 'viewer' } }),
      () => admin.remove({ ...call, params }),
      () => admin.resetSecondFactor({ ...call, params }),
      () => admin.endSessions({ ...call, params }),
      () => admin.unlock({ ...call, params }),
    ];
    for (const attempt of refused) await expect(attempt()).rejects.toMatchObject({ status: 403, code: 'forbidden' });
    await admin.update({ ...call, params: { id: viewer.id }, body: { role: 'operator' } });
    expect((await master.client.user.me()).role).toBe('master');
  });
});

describe('POST /admin-api/user/me/confirm', () => {
  it('confirms the session of the request and no other', async () => {
    const { client, username } = await api.person('master');
    const other = await api.ask('POST', '/admin-api/user/login', { username, password: PASSWORD }, {});
    api.advance(11 * MINUTE_MS);
    await client.user.confirm({ body: { password: PASSWORD } });
    const headers = { 'edge-token': other.body.data.token };
    const { body } = await api.fetch('/admin-api/user/policy', { method: 'PUT', headers, body: '{"require_2fa":[]}' });
    expect(body.err.code).toBe('reauthentication_required');
    await client.user.updatePolicy({ body: { require_2fa: [] } });
  });

  it('is recorded in the audit log, right or wrong', async () => {
    const { client, id } = await api.person('viewer');
    await expect(client.user.confirm({ body: { password: 'wrong' } })).rejects.toMatchObject({ code: 'login_failed' });
    await client.user.confirm({ body: { password: PASSWORD } });
    const { prisma } = api.server.deps.db.read;
    const where = { action: { in: ['user.confirm', 'user.login_failed'] } };
    const rows = await prisma.audit.findMany({ where, orderBy: { id: 'asc' } });
    const about = rows
      .filter(({ actorId, targetKind, targetId }) => actorId === id || (targetKind === 'user' && targetId === id))
      .map(({ action }) => action);
    expect(about).toEqual(['user.login_failed', 'user.confirm']);
  });

  it('counts guesses like those at a sign-in, also after an unlock of the own account', async () => {
    const { client, id } = await api.person('master');
    api.advance(11 * MINUTE_MS);
    const confirm = (password: string) => client.user.confirm({ body: { password } });
    for (let i = 0; i < 5; i += 1) await expect(confirm('wrong')).rejects.toMatchObject({ code: 'login_failed' });
    await expect(confirm(PASSWORD)).rejects.toMatchObject({ code: 'too_many_requests' });
    await expect(client.user.unlock({ params: { id } })).rejects.toMatchObject({ code: 'reauthentication_required' });
    await expect(confirm(PASSWORD)).rejects.toMatchObject({ code: 'too_many_requests' });
  });

  it('needs a code where the second factor is on; a recovery code works once', async () => {
    const { client } = await api.person('master');
    const { secret } = await client.user.beginSecondFactor({ body: { password: PASSWORD } });
    const code = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: api.now() });
    const { recovery_codes: recovery } = await client.user.confirmSecondFactor({ body: { otp: code() } });
    api.advance(11 * MINUTE_MS);
    const confirm = (otp?: string) => client.user.confirm({ body: { password: PASSWORD, otp } });
    const act = () => client.user.updatePolicy({ body: { require_2fa: [] } });
    await expect(confirm()).rejects.toMatchObject({ status: 401, code: 'otp_required' });
    await expect(confirm('A'.repeat(24))).rejects.toMatchObject({ code: 'login_failed' });
    await expect(act()).rejects.toMatchObject({ code: 'reauthentication_required' });
    await confirm(code());
    await act();
    await expect(confirm(code())).rejects.toMatchObject({ code: 'login_failed' });
    api.advance(11 * MINUTE_MS);
    await expect(act()).rejects.toMatchObject({ code: 'reauthentication_required' });
    await confirm(recovery[0]);
    await act();
    await expect(confirm(recovery[0])).rejects.toMatchObject({ code: 'login_failed' });
  });
});
