// Changes of many agents at once: their selection, refusals, history and audit entries.
import type { AgentBulk } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { agentCalls } from '../../../test/agent-calls.ts';
import { isOf } from '../../../test/event-calls.ts';
import { storeAgents } from '../../../test/fleet.ts';
import { listenEvents } from '../../../test/listen-events.ts';
import type { TestApi } from '../../../test/start-api.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';
import { word } from '../../../test/word.ts';

const api = useSteadyApi();

const { ask, beat } = agentCalls(api);

type Body = Parameters<TestApi['admin']['agent']['bulk']>[0]['body'];
const bulk = (body: Body) => api.admin.agent.bulk({ body });
const get = (id: number) => api.admin.agent.get({ params: { id }, query: { include_deleted: true, detail: 1 } });

/** Makes agents with a label of their own. */
async function newAgents(n: number) {
  const label = word();
  const made = await Promise.all(Array.from({ length: n }, () => api.agent()));
  const ids = made.map(({ id }) => id).sort((a, b) => a - b);
  await bulk({ ids, action: 'update', labels: { [label]: '' } });
  return { label, ids, made };
}

const entries = async () =>
  (await api.admin.audit.list({ query: { action: 'agent.bulk', page_size: 50 } })).data.map(({ detail }) => detail);

const remove = async (ids: readonly number[]) => {
  for (const id of ids) await api.admin.agent.remove({ params: { id } });
};

describe('POST /api/agents/bulk', () => {
  it('updates the agents of a filter and no others', async () => {
    const { ids, label } = await newAgents(3);
    const other = await api.agent();
    await using stream = await listenEvents(api.admin);
    expect(await bulk({ filter: { label }, action: 'update', note: 'all', maintenance: true })).toEqual({
      matched: 3,
      done: 3,
      failed: [],
    });
    for (const id of ids) {
      expect(await get(id)).toMatchObject({ note: 'all', maintenance: true, labels: { [label]: '' } });
      expect((await stream.first(isOf(id))).type).toBe('agent.changed');
      const { data } = await api.admin.agent.events({ params: { id }, query: { kind: 'note' } });
      expect(data).toMatchObject([{ from: '', to: 'all', actor: 'admin' }]);
    }
    expect(await get(other.id)).toMatchObject({ note: '', maintenance: false });
  });

  it('reports why an agent was not changed, and changes the others', async () => {
    const { ids } = await newAgents(4);
    const [gone = 0, ...living] = ids;
    await remove([gone]);
    const missing = 2_147_483_647;
    const deleted = { id: gone, msg: 'The agent is deleted. Restore it first.' };
    const unknown = { id: missing, msg: 'No such agent.' };
    const asked = [...ids, missing, ...ids];
    expect(await bulk({ ids: asked, action: 'update', note: 'n' })).toEqual({
      matched: 4,
      done: 3,
      failed: [deleted, unknown],
    });
    expect(await get(gone)).toMatchObject({ note: '' });
    expect(await bulk({ ids: asked, action: 'restore' })).toEqual({
      matched: 4,
      done: 1,
      failed: [...living.map((id) => ({ id, msg: 'The agent is not deleted. Delete it first.' })), unknown],
    });
    expect(await get(gone)).toMatchObject({ is_deleted: false });
  });

  it('changes nothing with dry_run and reports the result', async () => {
    const { ids, label } = await newAgents(3);
    const [gone = 0] = ids;
    await remove([gone]);
    const recorded = await entries();
    const before = await Promise.all(ids.map(get));
    const failed = [{ id: gone, msg: 'The agent is deleted. Restore it first.' }];
    for (const more of [
      { action: 'delete' },
      { action: 'update', note: 'x' },
      { action: 'operate', kind: 'upgrade' },
    ] as const) {
      expect(await bulk({ ids, dry_run: true, ...more })).toEqual({ matched: 3, done: 0, failed });
      const dry = { matched: 2, done: 0, failed: [] };
      expect(await bulk({ filter: { label }, dry_run: true, ...more })).toEqual(dry);
      const body = { filter: { label }, ...more };
      expect(await api.admin.agent.bulk({ body, query: { dry_run: true } })).toEqual(dry);
    }
    expect(await bulk({ filter: { label }, dry_run: true, action: 'purge' })).toEqual({
      matched: 1,
      done: 0,
      failed: [],
    });
    expect(await Promise.all(ids.map(get))).toEqual(before);
    expect(await entries()).toEqual(recorded);
    expect((await api.admin.agentOperation.list({ query: { agent_id: ids[1] ?? 0 } })).meta.count).toBe(0);
  });

  it('deletes, restores and purges; a filter restores and purges deleted agents', async () => {
    const { ids, label, made } = await newAgents(3);
    const [first] = made;
    if (first === undefined) throw new Error('there is no agent');
    expect(await bulk({ filter: { label }, action: 'delete' })).toMatchObject({ done: 3 });
    expect((await beat(first)).status).toBe(401);
    expect(await bulk({ filter: { label }, action: 'delete' })).toEqual({ matched: 0, done: 0, failed: [] });
    expect(await bulk({ filter: { label, state: 'online' }, action: 'purge' })).toMatchObject({ matched: 0 });
    expect(await bulk({ filter: { label }, action: 'restore' })).toMatchObject({ done: 3 });
    expect((await beat(first)).status).toBe(200);
    await remove(ids.slice(0, 2));
    expect(await bulk({ filter: { label }, action: 'purge' })).toEqual({ matched: 2, done: 2, failed: [] });
    const left = await api.admin.agent.list({ query: { label, include_deleted: true } });
    expect(left.map(({ id }) => id)).toEqual(ids.slice(2));
  });

  it('requests an operation of every agent that has no unfinished one', async () => {
    const { ids } = await newAgents(3);
    const [busy = 0] = ids;
    await api.admin.agentOperation.create({ body: { agent_id: busy, kind: 'upgrade' } });
    const body = { ids, action: 'operate', kind: 'upgrade', params: { version: '2.0' } } as const;
    expect(await bulk(body)).toEqual({
      matched: 3,
      done: 2,
      failed: [{ id: busy, msg: 'The last upgrade has not finished. Wait for it or cancel it.' }],
    });
    for (const agent_id of ids.slice(1)) {
      const { data } = await api.admin.agentOperation.list({ query: { agent_id } });
      expect(data).toMatchObject([
        { kind: 'upgrade', state: 'queued', params: { version: '2.0' }, created_by: 'admin' },
      ]);
    }
  });

  it('records one audit entry with the request, the agents and the result', async () => {
    const { ids, label } = await newAgents(3);
    await remove(ids.slice(0, 1));
    const n = (await entries()).length;
    await bulk({ filter: { label, include_deleted: true }, action: 'update', note: 'why' });
    await bulk({ filter: { label, include_deleted: true }, action: 'update', note: 'why' });
    const [newest, ...rest] = await entries();
    expect(rest).toHaveLength(n);
    const all = ids.at(-1) === (ids[0] ?? 0) + 2 ? `${ids[0]}-${ids[2]}` : expect.any(String);
    expect(newest).toMatchObject({ action: 'update', note: 'why', ids: all, matched: 3, done: 2, failed: 1 });
    expect(newest?.['filter']).toMatchObject({ include_deleted: true, label: [{ name: label }] });
  });

  it('changes many agents in slices, with an audit entry for start and end, and one resync event', async () => {
    const label = word();
    const ids = await storeAgents(api, 160);
    await bulk({ ids, action: 'update', labels: { [label]: '' } });
    const [gone = 0] = ids;
    await remove([gone]);
    await using stream = await listenEvents(api.admin);
    const n = (await entries()).length;
    expect(await bulk({ filter: { label, include_deleted: true }, action: 'update', note: 'many' })).toMatchObject({
      matched: 160,
      done: 159,
    });
    const [last, first, ...rest] = await entries();
    expect(rest).toHaveLength(n);
    expect(first).toMatchObject({ action: 'update', note: 'many', ids: expect.stringContaining('-') });
    expect(first?.['done']).toBeUndefined();
    expect(last).toMatchObject({ action: 'update', matched: 160, done: 159, failed: 1 });
    const resync = await stream.first(({ type }) => type === 'resync');
    expect(resync.data).toEqual({ reason: 'burst', of: 'agent' });
    expect(stream.events.some(({ type }) => type === 'agent.changed')).toBe(false);
    expect((await api.admin.agent.totals({ query: { label, q: 'many' } })).count).toBe(159);
    expect(await bulk({ filter: { label, include_deleted: true }, action: 'delete' })).toEqual({
      matched: 160,
      done: 159,
      failed: [{ id: gone, msg: 'The agent is deleted. Restore it first.' }],
    });
  });

  it('deletes each agent once among concurrent requests', async () => {
    const ids = await storeAgents(api, 20);
    const results = await Promise.all(Array.from({ length: 4 }, () => bulk({ ids, action: 'delete' })));
    expect(results.reduce((sum, { done }) => sum + done, 0)).toBe(20);
    expect(results.reduce((sum, { failed }) => sum + failed.length, 0)).toBe(60);
    for (const id of ids) {
      const { meta } = await api.admin.agent.events({ params: { id }, query: { kind: 'deleted' } });
      expect(meta.count).toBe(1);
    }
  });

  it('names the wrong fields of a request', async () => {
    const wrong: readonly [Partial<Record<keyof AgentBulk, unknown>>, string][] = [
      [{ action: 'delete' }, 'body'],
      [{ ids: [1], filter: {}, action: 'delete' }, 'body'],
      [{ ids: [], action: 'delete' }, 'body.ids'],
      [{ ids: [1], action: 'update' }, 'body'],
      [{ ids: [1], action: 'delete', note: '' }, 'body.note'],
      [{ ids: [1], action: 'operate' }, 'body.kind'],
      [{ ids: [1], action: 'delete', kind: 'upgrade' }, 'body.kind'],
      [{ ids: [1], action: 'operate', kind: 'collect_facts', params: { version: '1' } }, 'body.params.version'],
      [{ filter: { hostnam: 'x' }, action: 'delete' }, 'body.filter.hostnam'],
      [{ filter: { label: 'a,,b' }, action: 'delete' }, 'body.filter.label'],
    ];
    for (const [body, path] of wrong) {
      const { status, body: answer } = await ask('POST', '/bulk', body);
      expect([status, answer.err.fields?.[0]?.path], JSON.stringify(body)).toEqual([400, path]);
    }
    const most = Array.from({ length: 10_000 }, (_, n) => 2_147_470_000 + n);
    expect(await bulk({ ids: most, action: 'delete', dry_run: true })).toMatchObject({ matched: 0, done: 0 });
  });
});
