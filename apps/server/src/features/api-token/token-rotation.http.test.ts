// A new secret for an old token, the end of the old one, and what happens when it comes back.
import { describe, expect, it } from 'vitest';
import { DIALECT, startApi, type TestApi, useApi } from '../../../test/start-api.ts';
import { newSecret } from '../../auth/secrets.ts';
import { createReuseAlarm } from './reuse-alarm.ts';

const api = useApi();

const works = async (apiToken: string) => {
  const { status } = await api.fetch('/admin-api/user/me', { headers: { 'API-Token': apiToken } });
  return status === 200;
};
const alarmEvents = async (id: number) => {
  const events = await api.server.deps.db.read.prisma.event.findMany({ where: { type: 'token.reused' } });
  return events.map(({ data }) => JSON.parse(data)).filter((data) => data.id === id);
};
const alarms = async (id: number) => {
  const { prisma } = api.server.deps.db.read;
  const audit = await prisma.audit.count({ where: { action: 'api_token.reused', targetId: id } });
  return { audit, events: (await alarmEvents(id)).length };
};

describe('POST /admin-api/api_token/{id}/rotate', () => {
  it('returns the record and its new secret, and ends the old one at once', async () => {
    const made = await api.admin.apiToken.create({ body: { name: 'x' } });
    const rotated = await api.admin.apiToken.rotate({ params: { id: made.id }, body: {} });
    expect(rotated).toMatchObject({ id: made.id, name: 'x', uid: 1, _created_unix: made._created_unix });
    expect(rotated._modified_unix).toBeGreaterThanOrEqual(made._modified_unix);
    expect(Object.keys(rotated).sort()).toEqual(Object.keys(made).sort());
    expect([await works(made.token), await works(rotated.token)]).toEqual([false, true]);
    const { token_tail, grace_until } = await api.using(rotated.token).apiToken.self();
    expect({ token_tail, grace_until }).toEqual({ token_tail: rotated.token.slice(-4), grace_until: 0 });
  });

  it('accepts both secrets within the grace, and one after it', async () => {
    const made = await api.admin.apiToken.create({ body: {} });
    const params = { id: made.id };
    const rotated = await api.admin.apiToken.rotate({ params, body: { grace: 600 } });
    expect([await works(made.token), await works(rotated.token)]).toEqual([true, true]);
    expect((await api.using(rotated.token).apiToken.self()).grace_until).toBeGreaterThan(api.now());
    expect((await api.using(made.token).apiToken.self()).id).toBe(made.id);
    api.advance(600_001);
    expect([await works(made.token), await works(rotated.token)]).toEqual([false, true]);
    expect((await api.using(rotated.token).apiToken.self()).grace_until).toBe(0);
  });

  it('accepts only the last replaced secret', async () => {
    const first = await api.admin.apiToken.create({ body: {} });
    const params = { id: first.id };
    const second = await api.admin.apiToken.rotate({ params, body: { grace: 600 } });
    const third = await api.admin.apiToken.rotate({ params, body: { grace: 600 } });
    expect(await Promise.all([first, second, third].map(({ token }) => works(token)))).toEqual([false, true, true]);
  });

  it('leaves one working secret after parallel rotations', async () => {
    const { id } = await api.admin.apiToken.create({ body: {} });
    const all = await Promise.all(
      Array.from({ length: 10 }, () => api.admin.apiToken.rotate({ params: { id }, body: { grace: 0 } })),
    );
    const working = await Promise.all(all.map(({ token }) => works(token)));
    expect(working.filter(Boolean)).toHaveLength(1);
  });

  it('neither enables nor extends', async () => {
    const made = await api.admin.apiToken.create({ body: { expire: api.now() + 1000 } });
    api.advance(1001);
    const expired = await api.admin.apiToken.rotate({ params: { id: made.id }, body: {} });
    await expect(api.using(expired.token).user.me()).rejects.toMatchObject({ code: 'token_expired' });
    await api.admin.apiToken.disable({ params: { id: made.id } });
    const disabled = await api.admin.apiToken.rotate({ params: { id: made.id }, body: {} });
    await expect(api.using(disabled.token).user.me()).rejects.toMatchObject({ code: 'credential_invalid' });
  });
});

describe('a replaced secret', () => {
  it('raises the alarm when it is used, once a minute', async () => {
    const made = await api.admin.apiToken.create({ body: { name: 'stolen' } });
    await api.admin.apiToken.rotate({ params: { id: made.id }, body: { grace: 60 } });
    expect(await works(made.token)).toBe(true);
    expect(await alarms(made.id)).toEqual({ audit: 0, events: 0 });
    api.advance(60_001);
    for (let i = 0; i < 5; i += 1) expect(await works(made.token)).toBe(false);
    await expect.poll(() => alarms(made.id)).toEqual({ audit: 1, events: 1 });
    api.advance(60_001);
    expect(await works(made.token)).toBe(false);
    await expect.poll(() => alarms(made.id)).toEqual({ audit: 2, events: 2 });
    const [event] = await alarmEvents(made.id);
    expect(event).toEqual({ id: made.id, name: 'stolen', uid: 1, address: '127.0.0.1' });
    api.advance(60_001);
    const headers = { 'API-Token': made.token, 'X-Request-Id': 'of-the-thief' };
    await api.fetch('/admin-api/user/me', { headers });
    await expect.poll(() => alarms(made.id)).toEqual({ audit: 3, events: 3 });
    const { prisma } = api.server.deps.db.read;
    const entry = await prisma.audit.findFirst({ where: { action: 'api_token.reused' }, orderBy: { id: 'desc' } });
    expect(entry).toMatchObject({ requestId: 'of-the-thief', address: '127.0.0.1' });
  });

  it('raises one alarm on several servers', async ({ skip }) => {
    if (DIALECT === 'sqlite') skip();
    const made = await api.admin.apiToken.create({ body: {} });
    await api.admin.apiToken.rotate({ params: { id: made.id }, body: {} });
    const others = await Promise.all([startApi(api.sharing), startApi(api.sharing)]);
    const ask = ({ url }: TestApi) => fetch(`${url}/admin-api/user/me`, { headers: { 'API-Token': made.token } });
    await Promise.all([...others, ...others].map(ask));
    // A server that stops has reported what it had to report.
    for (const other of others) await other.server.stop();
    expect(await alarms(made.id)).toEqual({ audit: 1, events: 1 });
  });

  it('raises one alarm a minute, whichever server is asked first', async () => {
    const made = await api.admin.apiToken.create({ body: {} });
    const request = { id: '', address: '127.0.0.1', client: '' };
    // Servers share the database and nothing else.
    const raiseAtAll = async () => {
      for (let server = 0; server < 3; server += 1) {
        const alarm = createReuseAlarm({ ...api.server.deps, now: api.now });
        alarm.raise(made.id, request);
        await alarm.close();
      }
    };
    await raiseAtAll();
    expect(await alarms(made.id)).toEqual({ audit: 1, events: 1 });
    api.advance(60_001);
    await raiseAtAll();
    expect(await alarms(made.id)).toEqual({ audit: 2, events: 2 });
  });

  it('is refused like a secret that never existed', async () => {
    const made = await api.admin.apiToken.create({ body: {} });
    await api.admin.apiToken.rotate({ params: { id: made.id }, body: {} });
    const [replaced, invented] = await Promise.all(
      [made.token, newSecret('api_token')].map(async (token) => {
        const { status, body } = await api.fetch('/admin-api/user/me', { headers: { 'API-Token': token } });
        return { status, msg: body.msg, err: { ...body.err, request_id: '' } };
      }),
    );
    expect(replaced).toEqual(invented);
  });

  it('raises the alarm also where the token is disabled', async () => {
    const made = await api.admin.apiToken.create({ body: {} });
    await api.admin.apiToken.rotate({ params: { id: made.id }, body: {} });
    await api.admin.apiToken.disable({ params: { id: made.id } });
    expect(await works(made.token)).toBe(false);
    await expect.poll(() => alarms(made.id)).toEqual({ audit: 1, events: 1 });
  });
});
