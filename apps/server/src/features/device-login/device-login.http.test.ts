// Signing in at a terminal with a code.
import { expect, it } from 'vitest';
import { useSharedApi } from '../../../test/start-api.ts';

const api = useSharedApi();
const DEVICE = '/admin-api/user/device';

async function terminal(body: object = { name: 'ann@gw1' }) {
  const headers = { 'user-agent': 'quarterdeck-cli' };
  const { device_code: secret, user_code: code, ...rest } = (await api.ask('POST', DEVICE, body, headers)).body.data;
  const poll = () => api.ask('POST', `${DEVICE}/token`, { device_code: secret }, {});
  return { code, poll, ...rest };
}
const as = (token: string) => ({ 'edge-token': token });
const confirm = (token: string, body: object) => api.ask('POST', `${DEVICE}/confirm`, body, as(token));

it('gives the terminal a session of the person who confirms its code', async () => {
  const person = await api.person('operator');
  const { code, poll, verification_uri: address, interval } = await terminal();
  expect([code, address, interval]).toEqual([expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/), '/device', 5]);
  expect((await poll()).body.err.code).toBe('authorization_pending');
  expect((await poll()).body.err.code).toBe('slow_down');
  // As people type it.
  const typed = code.toLowerCase().replace('-', ' ');
  const shown = await api.ask('POST', `${DEVICE}/find`, { user_code: typed }, as(person.token));
  expect(shown.body.data).toMatchObject({ name: 'ann@gw1', address: '127.0.0.1', client: 'quarterdeck-cli' });
  expect((await confirm(person.token, { user_code: typed })).status).toBe(200);
  const login = await poll();
  expect(login.body).toMatchObject({ msg: 'login success', data: { id: person.id, role: 'operator' } });
  expect((await api.fetch('/admin-api/user/me', { headers: as(login.body.data['edge-token']) })).status).toBe(200);
  expect((await poll()).body.err.code).toBe('expired_token');
});

it('gives no session that lasts longer than the one that confirmed it', async () => {
  const person = await api.person('viewer');
  const soonMs = api.now() + 60_000;
  const where = { userId: person.id };
  await api.server.deps.db.write((tx) => tx.prisma.session.updateMany({ where, data: { expireMs: soonMs } }));
  const { code, poll } = await terminal({ remember: true });
  await confirm(person.token, { user_code: code });
  expect((await poll()).body.data.expire).toBe(soonMs);
});

it('gives none where the person refuses, where their session has ended, and where the code is old', async () => {
  const person = await api.person('viewer');
  const [refused, left, old] = [await terminal(), await terminal(), await terminal()];
  await confirm(person.token, { user_code: refused.code, approve: false });
  expect((await refused.poll()).body.err.code).toBe('access_denied');
  await confirm(person.token, { user_code: left.code });
  await person.client.user.logout();
  expect((await left.poll()).body.err.code).toBe('expired_token');
  const { db } = api.server.deps;
  await db.write((tx) => tx.prisma.deviceCode.updateMany({ data: { expireMs: 1 } }));
  expect((await old.poll()).body.err.code).toBe('expired_token');
});

it('takes codes from sessions alone, and few wrong ones', async () => {
  const person = await api.person('viewer');
  const { token } = await person.client.apiToken.create({ body: { name: 'ci' } });
  const { code } = await terminal();
  expect((await api.ask('POST', `${DEVICE}/confirm`, { user_code: code }, { 'API-Token': token })).status).toBe(403);
  expect((await api.ask('POST', `${DEVICE}/confirm`, { user_code: code }, {})).status).toBe(401);
  for (let wrong = 0; wrong < 5; wrong += 1) {
    expect((await confirm(person.token, { user_code: 'BBBB-BBBB' })).status).toBe(404);
  }
  expect((await confirm(person.token, { user_code: code })).status).toBe(429);
});

it('lets a network have few terminals that wait', async () => {
  const { db } = api.server.deps;
  await db.write((tx) => tx.prisma.deviceCode.deleteMany());
  const statuses: number[] = [];
  for (let n = 0; n < 21; n += 1) statuses.push((await api.ask('POST', DEVICE, {}, {})).status);
  await db.write((tx) => tx.prisma.deviceCode.deleteMany());
  expect(statuses).toEqual([...Array(20).fill(200), 429]);
});
