// Rights of callers with a filter of sources: who gives one, what it takes away, and that nobody gets around it.

import { contract } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../test/non-empty.ts';
import { ROUTES } from './endpoints.ts';
import { PASSWORD, useSharedApi } from './start-api.ts';
import { word } from './word.ts';

const api = useSharedApi();

/** Creates a user with a filter of sources, who signs in. */
async function restricted(filter: string, role: 'master' | 'operator' = 'operator') {
  const username = `restricted-${word()}`;
  const { id } = await api.admin.user.create({ body: { username, password: PASSWORD, role, errlog_filter: filter } });
  const { body } = await api.ask('POST', '/admin-api/user/login', { username, password: PASSWORD }, {});
  const headers = { 'edge-token': body.data['edge-token'] as string };
  return {
    id,
    username,
    headers,
    ask: (method: string, path: string, json?: unknown) => api.ask(method, path, json, headers),
  };
}

describe('a filter of sources', () => {
  it.each(nonEmpty(['level:error', 'timeout', 'host:a (', '*', 'label:site', 'host:/[/', 'state:new OR host:a']))(
    'is refused with its place: %s',
    async (errlog_filter) => {
      const user = { username: `u-${word()}`, password: PASSWORD, role: 'viewer' };
      const { id } = await api.person('viewer');
      for (const [method, path, body] of [
        ['POST', '/admin-api/user', { ...user, errlog_filter }],
        ['PUT', `/admin-api/user/${id}`, { errlog_filter }],
        ['POST', '/admin-api/api_token', { errlog_filter }],
      ] as const) {
        const { status, body: answer } = await api.ask(method, path, body);
        expect([status, answer.err.fields?.[0]?.path], `${method} ${path}`).toEqual([400, 'body.errlog_filter']);
      }
    },
  );

  it('is shown to the user, and to who manages users', async () => {
    const user = await restricted('host:web*');
    expect((await user.ask('GET', '/admin-api/user/me')).body.data).toMatchObject({ errlog_filter: 'host:web*' });
    expect(await api.admin.user.get({ params: { id: user.id } })).toMatchObject({ errlog_filter: 'host:web*' });
    expect(await api.admin.user.me()).not.toHaveProperty('errlog_filter');
  });

  it('takes effect with the next request, and goes when it is taken away', async () => {
    const user = await restricted(`host:none-${word()}`);
    const log = `${word()} broke`;
    await api.admin.errlog.append({ body: { level: 'error', log, host: `db-${word()}` } });
    const count = async () => (await user.ask('GET', `/admin-api/log_server/errlog?q=${log}`)).body.data.meta.count;
    expect(await count()).toBe(0);
    await api.admin.user.update({ params: { id: user.id }, body: { errlog_filter: '' } });
    expect(await count()).toBe(1);
    await api.admin.user.update({ params: { id: user.id }, body: { errlog_filter: 'host:none' } });
    expect(await count()).toBe(0);
  });

  it('leaves a master who sees everything: the last one gets none', async () => {
    const admin = await api.admin.user.me();
    const change = api.ask('PUT', `/admin-api/user/${admin.id}`, { errlog_filter: 'host:a' });
    const others = await api.server.deps.db.read.prisma.user.count({
      where: { role: 'master', disabled: false, errlogFilter: '', id: { not: admin.id }, passwordHash: { not: '' } },
    });
    if (others === 0) expect((await change).body.err.code).toBe('last_master');
    else {
      expect((await change).status).toBe(200);
      const { user } = api.server.deps.db.read.prisma;
      await api.server.deps.db.write((tx) =>
        tx.prisma.user.update({ where: { id: admin.id }, data: { errlogFilter: '' } }),
      );
      expect((await user.findUniqueOrThrow({ where: { id: admin.id } })).errlogFilter).toBe('');
    }
  });
});

describe('a master who sees a part of the sources', () => {
  it('reaches no endpoint about the whole installation', async () => {
    const user = await restricted('host:web*', 'master');
    const open = ROUTES.filter(({ endpoint, access }) => endpoint.narrowed !== true && access !== 'public');
    const { heartbeat, shutdown } = contract.agent;
    for (const { name, method, path, endpoint } of open) {
      if (endpoint === heartbeat || endpoint === shutdown) continue;
      const { status } = await user.ask(method, path.replaceAll(/\{\w+\}/g, '1'), method === 'GET' ? undefined : {});
      expect(status, name).toBe(403);
    }
    for (const path of ['/metrics', '/admin-api/audit/export', '/admin-api/audit', '/admin-api/user/list']) {
      expect((await user.ask('GET', path)).status, path).toBe(403);
    }
  });

  it('cannot take its own filter away, or create a user without one', async () => {
    const user = await restricted('host:web*', 'master');
    expect((await user.ask('PUT', `/admin-api/user/${user.id}`, { errlog_filter: '' })).status).toBe(403);
    const draft = { username: `u-${word()}`, password: PASSWORD, role: 'viewer' };
    expect((await user.ask('POST', '/admin-api/user', draft)).status).toBe(403);
  });
});

describe('an API token', () => {
  it('sees what both its filter and that of its owner admit', async () => {
    const [inside, outside] = [`web-${word()}`, `web-${word()}`];
    const log = `${word()} broke`;
    for (const host of [inside, outside, `db-${word()}`])
      await api.admin.errlog.append({ body: { level: 'error', log, host } });
    const user = await restricted('host:web-*');
    const make = async (body: object) =>
      (await user.ask('POST', '/admin-api/api_token', body)).body.data.token as string;
    const count = async (token: string) => (await api.using(token).errlog.list({ query: { q: log } })).meta.count;
    expect(await count(await make({}))).toBe(2);
    expect(await count(await make({ errlog_filter: `host:${inside}` }))).toBe(1);
    expect(await count(await make({ errlog_filter: 'host:db-*' }))).toBe(0);
    expect(await count(await make({ errlog_filter: 'host:*' }))).toBe(2);
  });

  it('issues tokens within its own filter alone, and controls no others of its owner', async () => {
    const { token, id } = await api.admin.apiToken.create({ body: { errlog_filter: 'host:web*' } });
    const wide = await api.admin.apiToken.create({ body: {} });
    const client = api.using(token);
    const child = await client.apiToken.create({ body: { errlog_filter: 'host:db* OR host:*' } });
    const { errlog_filter } = await api.admin.apiToken.get({ params: { id: child.id }, query: { detail: 1 } });
    expect(errlog_filter).toBe('(host:web*) (host:db* OR host:*)');
    const plain = await client.apiToken.create({ body: {} });
    expect((await api.admin.apiToken.get({ params: { id: plain.id }, query: { detail: 1 } })).errlog_filter).toBe(
      'host:web*',
    );
    const seen = (await client.apiToken.list({ query: { page_size: 100 } })).data.map((one) => one.id);
    expect(seen.sort()).toEqual([id, child.id, plain.id].sort());
    await expect(client.apiToken.rotate({ params: { id: wide.id }, body: {} })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(client.apiToken.rotate({ params: { id: child.id }, body: {} })).resolves.toMatchObject({
      id: child.id,
    });
    await expect(client.apiToken.get({ params: { id: wide.id } })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('makes no link with which its owner would show more', async () => {
    const host = `web-${word()}`;
    const log = `${word()} broke`;
    await api.admin.errlog.append({ body: { level: 'error', log, host } });
    const { token } = await api.admin.apiToken.create({ body: { errlog_filter: `host:${host}` } });
    const client = api.using(token);
    const [group] = (await client.errlog.list({ query: { q: log } })).data;
    const link = client.link.createForError({ params: { id: group?.id ?? 0 }, body: {} });
    await expect(link).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('a rule of alerts by an author who sees a part of the sources', () => {
  it('finds errors of these sources alone, also in its preview', async () => {
    const [inside, outside] = [`web-${word()}`, `db-${word()}`];
    const user = await restricted(`host:${inside}`);
    const log = `${word()} broke`;
    const filter = log.split(' ')[0] ?? '';
    const body = { name: word(), when: { kind: 'errlog.new' }, filter, channels: [] };
    const rule = (await user.ask('POST', '/admin-api/alert', body)).body.data;
    await api.server.jobs.runAlerts();
    for (const host of [inside, outside]) await api.admin.errlog.append({ body: { level: 'error', log, host } });
    await api.server.jobs.runAlerts();
    const { data } = await api.admin.alert.instances({ query: { rule_id: rule.id } });
    expect(data).toHaveLength(1);
    expect(data[0]?.title).toContain(inside);
    const trial = { when: body.when, filter, for: 0, cooldown: 0 };
    const preview = await user.ask('POST', '/admin-api/alert/preview', trial);
    expect(preview.body.data).toMatchObject({ fired: 1 });
    expect((await user.ask('GET', `/admin-api/alert/instance/${data[0]?.id}`)).body.data).toMatchObject({
      hosts: null,
    });
  });

  it('is refused where it would look at all sources, and stops where its author is restricted later', async () => {
    const user = await restricted('host:web*');
    const body = { name: word(), when: { kind: 'agent.outage' }, channels: [] };
    expect((await user.ask('POST', '/admin-api/alert', body)).status).toBe(403);
    const person = await api.person('operator');
    const rule = await person.client.alert.create({
      body: { name: word(), when: { kind: 'agent.offline' }, channels: [] },
    });
    await api.admin.user.update({ params: { id: person.id }, body: { errlog_filter: 'host:web*' } });
    const { stopped } = await api.admin.alert.get({ params: { id: rule.id } });
    expect(stopped?.why).toContain('sees a part of the sources');
  });

  it('is the only kind of rule that such a caller sees', async () => {
    const user = await restricted('host:web*');
    const { id } = await api.admin.alert.create({ body: { name: word(), when: { kind: 'errlog.new' }, channels: [] } });
    expect((await user.ask('GET', '/admin-api/alert')).body.data).toEqual({ data: [], meta: { count: 0 } });
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/test'],
    ] as const) {
      expect((await user.ask(method, `/admin-api/alert/${id}${path}`)).status).toBe(404);
    }
  });
});

it('shows no lines of an agent that was purged to whom its labels would decide for', async () => {
  const user = await restricted(`-label:tenant=${word()}`);
  const sender = await api.agent();
  const log = `${word()} broke`;
  await sender.client.errlog.append({ body: { level: 'error', log } });
  const count = async () => (await user.ask('GET', `/admin-api/log_server/errlog?q=${log}`)).body.data.meta.count;
  expect(await count()).toBe(1);
  await api.admin.agent.remove({ params: { id: sender.id } });
  await api.admin.agent.purge({ params: { id: sender.id } });
  expect(await count()).toBe(0);
});
