// Changes of one agent: update, delete, restore, purge; their history, audit entries and events.

import type { AgentEvent, AgentEventKind } from '@quarterdeck/core';
import { statement } from '@quarterdeck/core/db';
import { describe, expect, it } from 'vitest';
import { agentCalls } from '../../../test/agent-calls.ts';
import { NO_ID } from '../../../test/callers.ts';
import { isOf } from '../../../test/event-calls.ts';
import { MadeError } from '../../../test/fleet.ts';
import { listenEvents } from '../../../test/listen-events.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';

const api = useSteadyApi();

const { ask, beat } = agentCalls(api);

const get = (id: number) => api.admin.agent.get({ params: { id }, query: { include_deleted: true, detail: 1 } });
const remove = (id: number) => api.admin.agent.remove({ params: { id } });

/** Fields of entries that no change from outside and no difference belongs to. */
const OWN = { since: null, name: '', change_id: 0, has_diff: false };

/** The history of an agent, newest first, without numbers and times. */
async function historyOf(id: number, kind?: AgentEventKind) {
  const query = { page_size: 100, ...(kind === undefined ? {} : { kind }) };
  const { data } = await api.admin.agent.events({ params: { id }, query });
  return data.map(({ id: _id, time: _time, ...line }: AgentEvent) => line);
}

/** Entries of the audit log about agents, newest first. */
const recorded = async (action = 'agent') => (await api.admin.audit.list({ query: { action, page_size: 100 } })).data;

/** The same refusal for a missing agent and a hidden one. */
async function expectSameRefusal(method: string, path: (id: number) => string, id: number, body?: unknown) {
  const [one, other] = [await ask(method, path(id), body), await ask(method, path(NO_ID), body)];
  const bare = ({ status, body: { msg, err } }: typeof one) => [status, msg, { ...err, request_id: '' }];
  expect(one.status).toBe(404);
  expect(bare(one)).toEqual(bare(other));
}

describe('PUT /api/agents/{id}', () => {
  it('changes the named fields and returns the agent', async () => {
    const agent = await api.agent();
    await beat(agent, { autorun_tools: true });
    const before = await get(agent.id);
    api.advance(2_000);
    const params = { id: agent.id };
    const labels = { site: 'north', tier: '' };
    const changed = await api.admin.agent.update({ params, body: { note: 'spare', labels } });
    expect(changed).toMatchObject({ ...before, note: 'spare', labels, modified: changed.modified });
    expect(changed.modified).toBeGreaterThanOrEqual(before.modified + 2);
    expect(await get(agent.id)).toEqual(changed);
    // Labels are replaced as a whole.
    expect((await api.admin.agent.update({ params, body: { labels: { tier: '2' } } })).labels).toEqual({ tier: '2' });
    expect((await api.admin.agent.update({ params, body: { labels: {} } })).labels).toEqual({});
    expect(await api.admin.agent.update({ params, body: { maintenance: true } })).toMatchObject({
      maintenance: true,
      note: 'spare',
      autorun_tools: true,
      catch_transient_event: false,
    });
  });

  it('adds a history entry for each field and one audit entry', async () => {
    const agent = await api.agent();
    const params = { id: agent.id };
    const operator = await api.person('operator');
    await api.admin.agent.update({ params, body: { note: 'old', labels: { a: '', b: '1', c: 'x' } } });
    await operator.client.agent.update({
      params,
      body: { note: 'new', labels: { a: '', b: '2', d: '' }, maintenance: true, autorun_tools: true },
    });
    const by = { ...OWN, actor: operator.username };
    const lines = (await historyOf(agent.id)).filter(({ actor }) => actor === operator.username);
    expect(lines.toReversed()).toEqual([
      { ...by, kind: 'note', field: 'note', from: 'old', to: 'new' },
      { ...by, kind: 'maintenance', field: 'maintenance', from: 'false', to: 'true' },
      { ...by, kind: 'settings', field: 'managed', from: 'false', to: 'true' },
      { ...by, kind: 'settings', field: 'autorun_tools', from: 'false', to: 'true' },
      { ...by, kind: 'labels', field: 'b', from: 'b=1', to: 'b=2' },
      { ...by, kind: 'labels', field: 'c', from: 'c=x', to: '' },
      { ...by, kind: 'labels', field: 'd', from: '', to: 'd' },
    ]);
    expect(await historyOf(agent.id, 'maintenance')).toHaveLength(1);
    const [entry] = await recorded('agent.update');
    expect(entry).toMatchObject({ target: { kind: 'agent', id: agent.id }, actor: { name: operator.username } });
    expect(entry?.detail).toMatchObject({ node_id: agent.nodeId, hostname: `host-${agent.nodeId}` });
    expect(entry?.detail['changes']).toHaveLength(lines.length);
  });

  it('writes nothing without a change', async () => {
    const agent = await api.agent();
    const params = { id: agent.id };
    const body = { note: 'x', labels: { b: '1', a: '' }, maintenance: true, autorun_tools: false };
    const first = await api.admin.agent.update({ params, body });
    const [history, audit] = [await historyOf(agent.id), await recorded()];
    await using stream = await listenEvents(api.admin);
    api.advance(1_000);
    expect(await api.admin.agent.update({ params, body })).toEqual(first);
    expect([await historyOf(agent.id), await recorded()]).toEqual([history, audit]);
    await api.admin.agent.update({ params, body: { note: 'y' } });
    expect((await stream.first(isOf(agent.id))).data).toMatchObject({ note: 'y' });
  });

  it('manages the settings: the agent gets them, and its own values change nothing', async () => {
    const agent = await api.agent();
    await beat(agent, { autorun_tools: true, catch_transient_event: true });
    expect((await beat(agent)).body.data.settings).toBeUndefined();
    await api.admin.agent.update({ params: { id: agent.id }, body: { autorun_tools: false } });
    const settings = { autorun_tools: false, catch_transient_event: true };
    expect((await beat(agent)).body.data.settings).toEqual(settings);
    for (const body of [
      { autorun_tools: true, catch_transient_event: false },
      { ip: '192.0.2.3', autorun_tools: true },
    ]) {
      expect((await beat(agent, body)).body.data.settings).toEqual(settings);
    }
    expect(await get(agent.id)).toMatchObject({ ...settings, ip: '192.0.2.3' });
    expect((await historyOf(agent.id, 'changed')).map(({ field }) => field)).toEqual([
      'ip',
      'autorun_tools',
      'catch_transient_event',
    ]);
  });

  it('rejects labels that no filter can name, and empty changes', async () => {
    const { id } = await api.agent();
    for (const [body, path] of [
      [{}, 'body'],
      [{ unknown: 1 }, 'body.unknown'],
      [{ labels: { 'a b': '' } }, 'body.labels.a b'],
      [{ labels: { a: 'x,y' } }, 'body.labels.a'],
      [{ labels: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`l${n}`, ''])) }, 'body.labels'],
      [{ note: 'x'.repeat(2001) }, 'body.note'],
    ] as const) {
      const { status, body: answer } = await ask('PUT', `/${id}`, body);
      expect([status, answer.err?.fields?.[0]?.path], JSON.stringify(body).slice(0, 40)).toEqual([400, path]);
    }
    expect(await get(id)).toMatchObject({ labels: {}, note: '' });
  });

  it('loses nothing to concurrent reports', async () => {
    const agent = await api.agent();
    const params = { id: agent.id };
    await Promise.all(
      Array.from({ length: 12 }, (_, n) => [
        beat(agent, { ip: `192.0.2.${n}` }),
        api.admin.agent.update({ params, body: n % 2 === 0 ? { note: `${n}` } : { labels: { n: `${n}` } } }),
      ]).flat(),
    );
    const notes = (await historyOf(agent.id, 'note')).toReversed();
    // Each entry starts from the value that the one before ended with.
    expect(notes.map(({ from }) => from)).toEqual(['', ...notes.slice(0, -1).map(({ to }) => to)]);
    const { note, labels } = await get(agent.id);
    expect([notes.at(-1)?.to, notes.length]).toEqual([note, 6]);
    expect((await historyOf(agent.id, 'labels'))[0]?.to).toBe(`n=${labels?.['n']}`);
  });
});

describe('DELETE /api/agents/{id}', () => {
  it('hides the agent and ends its secret at once', async () => {
    const agent = await api.agent();
    const { id } = agent;
    await using stream = await listenEvents(api.admin);
    expect(await remove(id)).toBeUndefined();
    expect((await beat(agent)).status).toBe(401);
    expect(await stream.first(isOf(id))).toMatchObject({ type: 'agent.removed', data: { id } });
    await expectSameRefusal('GET', (any) => `/${any}`, id);
    await expectSameRefusal('PUT', (any) => `/${any}`, id, { note: 'x' });
    await expectSameRefusal('DELETE', (any) => `/${any}`, id);
    expect(await get(id)).toMatchObject({ is_deleted: true, online: false, state: 'deleted', reason: 'deleted' });
    expect((await historyOf(id))[0]).toEqual({ ...OWN, kind: 'deleted', field: '', from: '', to: '', actor: 'admin' });
    expect((await recorded())[0]).toMatchObject({
      action: 'agent.delete',
      target: { kind: 'agent', id },
      detail: { node_id: agent.nodeId },
    });
  });

  it('succeeds for one of many concurrent requests', async () => {
    const { id } = await api.agent();
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask('DELETE', `/${id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404]);
    expect(await historyOf(id, 'deleted')).toHaveLength(1);
  });
});

describe('POST /api/agents/{id}/restore', () => {
  it('restores the agent with its data and its secret', async () => {
    const agent = await api.agent();
    const { id } = agent;
    await api.admin.agent.update({ params: { id }, body: { note: 'kept', labels: { a: 'b' } } });
    await remove(id);
    await using stream = await listenEvents(api.admin);
    const restored = await api.admin.agent.restore({ params: { id } });
    expect(restored).toMatchObject({ id, is_deleted: false, online: false, note: 'kept', labels: { a: 'b' } });
    expect((await stream.first(isOf(id))).data).toEqual(restored);
    expect((await beat(agent)).status).toBe(200);
    expect(await get(id)).toMatchObject({ online: true, state: 'online' });
    expect((await historyOf(id, 'restored'))[0]).toMatchObject({ actor: 'admin' });
    expect((await recorded('agent.restore'))[0]?.target).toEqual({ kind: 'agent', id });
  });

  it('rejects an agent that is not deleted, and an unknown one', async () => {
    const { id } = await api.agent();
    for (const verb of ['restore', 'purge']) {
      const living = await ask('POST', `/${id}/${verb}`);
      expect([living.status, living.body.err.code, living.body.msg]).toEqual([
        409,
        'conflict',
        'The agent is not deleted. Delete it first.',
      ]);
      expect((await ask('POST', `/${NO_ID}/${verb}`)).status).toBe(404);
    }
    expect(await historyOf(id, 'restored')).toEqual([]);
  });
});

describe('POST /api/agents/{id}/purge', () => {
  it('removes everything of a deleted agent but its logs', async () => {
    const agent = await api.agent();
    const { id } = agent;
    const { db } = api.server.deps;
    await new MadeError(db).onAgent(id, [Math.floor(api.now() / 1000)]);
    const { id: src } = await db.read.prisma.source.findFirstOrThrow({ where: { agentId: id } });
    await api.admin.agent.update({ params: { id }, body: { labels: { a: '' } } });
    await api.admin.agentOperation.create({ body: { agent_id: id, kind: 'collect_facts' } });
    // More entries than one write removes.
    const line = `(${id}, 1, 'changed')`;
    const lines = `INSERT INTO agent_change (agent_id, time_ms, kind) VALUES ${Array(4_500).fill(line).join()}`;
    await db.write((tx) => tx.sql.run(statement(lines)));
    await remove(id);
    expect(await api.admin.agent.purge({ params: { id } })).toBeUndefined();
    expect((await ask('POST', `/${id}/purge`)).status).toBe(404);
    expect((await ask('GET', `/${id}?include_deleted=1`)).status).toBe(404);
    expect((await ask('GET', `/${id}/events`)).status).toBe(404);
    const { prisma } = db.read;
    const where = { agentId: id };
    const left = [
      prisma.agentChange.count({ where }),
      prisma.agentLabel.count({ where }),
      prisma.operation.count({ where }),
    ];
    expect(await Promise.all(left)).toEqual([0, 0, 0]);
    expect(await prisma.source.findUnique({ where: { id: src } })).toMatchObject({ agentId: 0 });
    expect((await api.admin.errlog.list({ query: { src } })).meta.count).toBe(1);
    expect((await recorded('agent.purge'))[0]).toMatchObject({
      target: { kind: 'agent', id },
      detail: { node_id: agent.nodeId },
    });
    // The node may register again, as a new agent.
    expect((await api.agent(agent.nodeId)).id).not.toBe(id);
  });
});

describe('GET /api/agents/{id}/events', () => {
  it('pages through the history from the newest, of deleted agents too', async () => {
    const { id } = await api.agent();
    for (let n = 0; n < 5; n += 1) await api.admin.agent.update({ params: { id }, body: { note: `${n}` } });
    const notes = ['4', '3', '2', '1', '0'];
    const page = (query: object) => api.admin.agent.events({ params: { id }, query: { kind: 'note', ...query } });
    expect((await page({})).data.map(({ to }) => to)).toEqual(notes);
    const second = await page({ page: 2, page_size: 2 });
    expect([second.data.map(({ to }) => to), second.meta.count]).toEqual([['2', '1'], 5]);
    expect(await page({ page_size: 0 })).toEqual({ data: [], meta: { count: 5 } });
    expect((await page({ start: 4, end: 9 })).data.map(({ to }) => to)).toEqual(['0']);
    const times = (await page({})).data.map(({ time }) => time);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    await remove(id);
    expect((await api.admin.agent.events({ params: { id } })).data[0]).toMatchObject({ kind: 'deleted' });
    expect((await ask('GET', `/${NO_ID}/events`)).status).toBe(404);
    expect((await ask('GET', `/${id}/events?kind=x`)).body.err.fields[0].path).toBe('query.kind');
  });
});
