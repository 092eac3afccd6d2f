// Changes from outside: reports, lists, and rows in the histories of agents.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../../test/thoroughness.ts';
import { MadeError, storeAgents } from '../../../test/fleet.ts';
import { listenEvents } from '../../../test/listen-events.ts';
import type { Answer } from '../../../test/start-api.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';
import { removeOldChanges } from './change.repo.ts';
import { changeService } from './change.service.ts';

const api = useSteadyApi();

const PATH = '/admin-api/change';

/** Sends a report as JSON, so that the server alone judges it. */
const report = (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  api.fetch(PATH, {
    method: 'POST',
    headers: { 'edge-token': api.adminToken, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

/** The changes from outside in the history of an agent, newest first. */
const historyOf = async (id: number) =>
  (await api.admin.agent.events({ params: { id }, query: { kind: 'change' } })).data;

const nowS = () => Math.floor(api.now() / 1000);

describe('a report', () => {
  it('becomes history of the hosts that it names, by hostname, node_id and address', async () => {
    const agents = await Promise.all(Array.from({ length: 4 }, () => api.agent()));
    const [first, second, third, fourth] = agents;
    if (!first || !second || !third || !fourth) throw new Error('agents are missing');
    await third.client.agent.heartbeat({ params: { id: third.id }, body: { ip: '198.51.100.7' } });
    const time = nowS() - 60;
    const hosts = [`host-${first.nodeId}`, second.nodeId, '198.51.100.7', 'nobody-1', 'nobody-2', 'nobody-1'];
    const draft = { kind: 'deploy', name: 'shop', before: 'v1', after: 'v2' };
    const made = await api.admin.change.create({ body: { ...draft, time, hosts } });
    expect(made.unknown_hosts).toEqual(['nobody-1', 'nobody-2']);
    const row = { kind: 'change', field: 'deploy', name: 'shop', from: 'v1', to: 'v2', time, actor: 'admin' };
    for (const { id } of [first, second, third]) {
      expect(await historyOf(id)).toMatchObject([{ ...row, change_id: made.id, has_diff: false }]);
    }
    expect(await historyOf(fourth.id)).toEqual([]);
    expect(await api.admin.change.get({ params: { id: made.id } })).toMatchObject({
      ...{ ...draft, id: made.id, time, agents: 3, host_count: 5, created_by: 'admin' },
      ...{
        hosts: hosts.slice(0, 5),
        unknown_hosts: ['nobody-1', 'nobody-2'],
        labels: {},
        service: '',
        url: '',
        author: '',
      },
    });
  });

  it('knows a host that is a source without an agent', async () => {
    const host = `lb-${randomUUID()}`;
    const source = { nodeType: 2, nodeId: -1, name: host, address: '' };
    await new MadeError(api.server.deps.db).on(source, [nowS()]);
    const made = await api.admin.change.create({ body: { kind: 'deploy', name: 'proxy', hosts: [host] } });
    expect(made.unknown_hosts).toEqual([]);
  });

  it('becomes history of the agents with all of its labels, and of those that it names besides', async () => {
    const site = randomUUID();
    const [both, one, named] = [await api.agent(), await api.agent(), await api.agent()];
    const label = (id: number, labels: Record<string, string>) =>
      api.admin.agent.update({ params: { id }, body: { labels } });
    await label(both.id, { site, tier: 'web' });
    await label(one.id, { site });
    const labels = { site, tier: 'web' };
    await api.admin.change.create({ body: { kind: 'flag', name: 'cache', labels } });
    await api.admin.change.create({ body: { kind: 'flag', name: 'cache', labels, hosts: [named.nodeId] } });
    expect(await historyOf(both.id)).toHaveLength(2);
    expect(await historyOf(one.id)).toHaveLength(0);
    expect(await historyOf(named.id)).toHaveLength(1);
  });

  it('becomes history of the whole fleet without hosts and labels, and is announced once that is complete', async () => {
    // More agents than one write marks.
    const ids = await storeAgents(api, 510);
    const gone = await api.agent();
    await api.admin.agent.remove({ params: { id: gone.id } });
    await using stream = await listenEvents(api.admin);
    const draft = { kind: 'config', name: 'resolver', url: 'https://ci.example.org/1', author: 'Ada' };
    const { id } = await api.admin.change.create({ body: draft });
    const event = await stream.first(({ type, data }) => type === 'change.created' && data.id === id);
    expect(event.data).toEqual(await api.admin.change.get({ params: { id } }));
    const { prisma } = api.server.deps.db.read;
    const rows = await prisma.agentChange.findMany({ where: { changeId: id }, select: { agentId: true } });
    const marked = new Set(rows.map(({ agentId }) => agentId));
    expect([marked.size, event.data.agents]).toEqual([rows.length, rows.length]);
    expect(ids.every((agent) => marked.has(agent))).toBe(true);
    expect(marked.has(gone.id)).toBe(false);
    const [entry] = (await api.admin.audit.list({ query: { action: 'change.create' } })).data;
    expect(entry).toMatchObject({ target: { kind: 'change', id }, detail: { author: 'Ada' } });
  });

  it('is finished by a job where the server was interrupted', async () => {
    const agent = await api.agent();
    const hosts = [agent.nodeId];
    const { id } = await api.admin.change.create({ body: { kind: 'deploy', name: 'half', hosts } });
    const { db } = api.server.deps;
    await db.write(async ({ prisma }) => {
      await prisma.agentChange.deleteMany({ where: { changeId: id } });
      await prisma.change.update({ where: { id }, data: { pending: JSON.stringify([agent.id, 2_000_000_000]) } });
    });
    expect(await historyOf(agent.id)).toEqual([]);
    // Several servers may finish it at once.
    const { finish } = changeService(api.server.deps);
    await Promise.all(Array.from({ length: 4 }, () => finish(() => false)));
    expect(await historyOf(agent.id)).toMatchObject([{ change_id: id }]);
    await api.server.jobs.runAll();
    expect(await historyOf(agent.id)).toHaveLength(1);
  });

  it('is finished in the order of the reports', async () => {
    const agent = await api.agent();
    const { db } = api.server.deps;
    const ids: number[] = [];
    for (const name of ['first', 'second', 'third']) {
      const body = { kind: 'deploy', name, hosts: [agent.nodeId] };
      ids.push((await api.admin.change.create({ body })).id);
    }
    await db.write(async ({ prisma }) => {
      await prisma.agentChange.deleteMany({ where: { changeId: { in: ids } } });
      await prisma.change.updateMany({ where: { id: { in: ids } }, data: { pending: JSON.stringify([agent.id]) } });
    });
    await changeService(api.server.deps).finish(() => false);
    expect((await historyOf(agent.id)).map(({ change_id }) => change_id)).toEqual(ids.toReversed());
  });
});

describe('bounds of a report', () => {
  const draft = { kind: 'deploy', name: 'shop' };
  it.each([
    ['a line break', { ...draft, name: 'shop\nv2' }, 'body.name'],
    ['an escape sequence', { ...draft, after: '\u001b[2J' }, 'body.after'],
    ['a URL of another scheme', { ...draft, url: 'javascript:alert(1)' }, 'body.url'],
    ['a URL with a password', { ...draft, url: 'https://ada:secret@ci.example.org/' }, 'body.url'],
    ['no URL', { ...draft, url: 'ci.example.org' }, 'body.url'],
    ['an empty list of hosts', { ...draft, hosts: [] }, 'body.hosts'],
    ['too many hosts', { ...draft, hosts: Array.from({ length: 10_001 }, (_, n) => `h${n}`) }, 'body.hosts'],
    ['a label with a space', { ...draft, labels: { 'a b': '' } }, 'body.labels.a b'],
  ])('refuse %s', async (_, body, path) => {
    const { status, body: answer } = await report(body);
    expect([status, answer.err.code]).toEqual([400, 'validation_failed']);
    expect(JSON.stringify(answer.err)).toContain(path);
    expect(JSON.stringify(answer.err)).not.toContain('secret');
  });

  it('accept a time up to 5 minutes ahead and 30 days back', async () => {
    const statusOf = async (time: number) => (await report({ ...draft, time, hosts: ['nobody'] })).status;
    expect(await statusOf(nowS() + 299)).toBe(200);
    expect(await statusOf(nowS() + 302)).toBe(400);
    expect(await statusOf(nowS() - 30 * 86_400 + 60)).toBe(200);
    expect(await statusOf(nowS() - 30 * 86_400 - 2)).toBe(400);
    expect(await statusOf(nowS() - 0.5)).toBe(200);
  });
});

describe('Idempotency-Key', () => {
  it('counts a repeated report once, also of several at once', async () => {
    const agent = await api.agent();
    const body = { kind: 'deploy', name: 'shop', hosts: [agent.nodeId, 'nobody'] };
    const headers = { 'Idempotency-Key': randomUUID() };
    const answers: Answer[] = await Promise.all(Array.from({ length: 5 }, () => report(body, headers)));
    answers.push(await report(body, headers));
    const [first] = answers;
    expect(first.body.data).toEqual({ id: expect.any(Number), unknown_hosts: ['nobody'] });
    for (const { body: answer } of answers) expect(answer.data).toEqual(first.body.data);
    expect(await historyOf(agent.id)).toHaveLength(1);
  });

  it('refuses another body, and keeps the keys of users apart', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const body = { kind: 'deploy', name: 'shop', hosts: ['nobody'] };
    const { body: mine } = await report(body, headers);
    expect((await report({ ...body, name: 'other' }, headers)).body.err.code).toBe('idempotency_conflict');
    const { token } = await api.person('operator');
    const { body: theirs } = await report({ ...body, name: 'other' }, { ...headers, 'edge-token': token });
    expect(theirs.data.id).not.toBe(mine.data.id);
    expect((await report(body, { 'Idempotency-Key': 'x'.repeat(201) })).status).toBe(400);
  });
});

describe('the list', () => {
  const list = async (query: object) => {
    const { data, meta } = await api.admin.change.list({ query });
    return { ids: data.map(({ id }) => id), count: meta.count };
  };

  it('has the latest change first, in pages, and filters', async () => {
    const service = randomUUID();
    const agent = await api.agent();
    const post = async (body: object) =>
      (await api.admin.change.create({ body: { kind: 'deploy', name: 'shop', service, hosts: ['nobody'], ...body } }))
        .id;
    const old = await post({ time: nowS() - 500, name: 'Böse_50%' });
    const latest = await post({ time: nowS() - 100, kind: 'flag' });
    const middle = await post({ time: nowS() - 300, hosts: [agent.nodeId], author: 'Zoë' });
    expect(await list({ service })).toEqual({ ids: [latest, middle, old], count: 3 });
    expect(await list({ service, page: 2, page_size: 2 })).toEqual({ ids: [old], count: 3 });
    expect(await list({ service, start: 1, end: 2 })).toEqual({ ids: [middle], count: 3 });
    expect(await list({ service, page_size: 0 })).toEqual({ ids: [], count: 3 });
    expect((await list({ service, kind: 'flag' })).ids).toEqual([latest]);
    expect((await list({ service, name: 'shop' })).ids).toEqual([latest, middle]);
    expect((await list({ service, host: `host-${agent.nodeId}` })).ids).toEqual([middle]);
    expect((await list({ service, host: 'nobody' })).ids).toEqual([latest, old]);
    expect((await list({ service, start_time: nowS() - 400, end_time: nowS() - 200 })).ids).toEqual([middle]);
    expect((await list({ service, start_time: nowS() - 501, end_time: nowS() - 499 })).ids).toEqual([old]);
    expect((await list({ service, q: 'zOë' })).ids).toEqual([middle]);
    expect((await list({ service, q: '_50%' })).ids).toEqual([old]);
    expect((await list({ service, q: '%' })).ids).toEqual([old]);
  });

  it('returns the first hundred hosts of a change, and the change all of them', async () => {
    const count = atMost(150, 10_000);
    const hosts = Array.from({ length: count }, (_, n) => `nobody-${randomUUID()}-${n}`);
    const name = randomUUID();
    const { id, unknown_hosts } = await api.admin.change.create({ body: { kind: 'deploy', name, hosts } });
    expect(unknown_hosts).toEqual(hosts);
    const [listed] = (await api.admin.change.list({ query: { name } })).data;
    expect(listed?.hosts).toEqual(hosts.slice(0, 100));
    expect([listed?.host_count, listed?.agents]).toEqual([count, 0]);
    expect((await api.admin.change.get({ params: { id } })).unknown_hosts).toEqual(hosts);
  });

  it('keeps a number of changes', async () => {
    const post = async () =>
      (await api.admin.change.create({ body: { kind: 'flag', name: 'x', hosts: ['nobody'] } })).id;
    const ids = [await post(), await post(), await post()];
    const { db } = api.server.deps;
    await db.write((tx) => removeOldChanges(tx, 0, 500, 2));
    const { data } = await api.admin.change.list({ query: { page_size: 1000 } });
    expect(data.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
  });

  it('forgets changes with the histories, after 400 days', async () => {
    const { id } = await api.admin.change.create({ body: { kind: 'deploy', name: 'old', hosts: ['nobody'] } });
    api.advance(401 * 86_400_000);
    await api.server.jobs.runAll();
    await expect(api.admin.change.get({ params: { id } })).rejects.toMatchObject({ code: 'not_found' });
  });
});
