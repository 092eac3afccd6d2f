// Operations: requested, cancelled and expired.
import type { OperationState } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { agentCalls } from '../../../test/agent-calls.ts';
import { isOf } from '../../../test/event-calls.ts';
import { listenEvents } from '../../../test/listen-events.ts';
import type { TestApi } from '../../../test/start-api.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';

const api = useSteadyApi();

const { ask, agentOf, beat } = agentCalls(api);

type Draft = Parameters<TestApi['admin']['agentOperation']['create']>[0]['body'];
const create = (body: Draft) => api.admin.agentOperation.create({ body });
const cancel = (id: number) => api.admin.agentOperation.cancel({ params: { id } });
const list = (query: Record<string, number | OperationState>) => api.admin.agentOperation.list({ query });
const passing = async (seconds: number) => {
  api.advance(seconds * 1000);
  await api.server.jobs.runAgents();
};

async function only(agent_id: number) {
  const { data } = await list({ agent_id });
  const [operation] = data;
  if (operation === undefined || data.length > 1) throw new Error(`agent ${agent_id} has ${data.length} operations`);
  return operation;
}

/** History entries about operations, oldest first. */
async function historyOf(id: number) {
  const { data } = await api.admin.agent.events({ params: { id }, query: { kind: 'operation' } });
  return data.map(({ field, from, to, actor }) => [field, from, to, actor]).toReversed();
}

/** Returns true if reports of an agent look for operations. */
const looksForOrders = async (id: number) =>
  (await api.server.deps.db.read.prisma.agent.findUniqueOrThrow({ where: { id } })).hasOperations;

describe('POST /api/agents/operation', () => {
  it('queues an operation for the next report', async () => {
    const { id, nodeId } = await api.agent();
    const operation = await create({ agent_id: id, kind: 'upgrade', params: { version: '2.4.1' }, start_within: 60 });
    expect(operation).toMatchObject({
      agent_id: id,
      hostname: `host-${nodeId}`,
      kind: 'upgrade',
      params: { version: '2.4.1' },
      state: 'queued',
      progress: 0,
      detail: '',
      created_by: 'admin',
    });
    expect(operation.deadline).toBe(Math.ceil(operation.created + 60));
    expect(await only(id)).toEqual(operation);
    expect(await looksForOrders(id)).toBe(true);
    expect(await historyOf(id)).toEqual([['upgrade', '', 'queued', 'admin']]);
    const { data } = await api.admin.audit.list({ query: { action: 'agent_operation.create' } });
    expect(data[0]).toMatchObject({
      target: { kind: 'agent_operation', id: operation.id },
      detail: { agent_id: id, kind: 'upgrade' },
    });
  });

  it('rejects a second unfinished operation of a kind, and a deleted agent', async () => {
    const { id } = await api.agent();
    const body = { agent_id: id, kind: 'collect_facts' } as const;
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask('POST', '/operation', body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.msg).toBe(
      'The last collect_facts has not finished. Wait for it or cancel it.',
    );
    await create({ agent_id: id, kind: 'restart_tailer' });
    await cancel((await list({ agent_id: id })).data[1]?.id ?? 0);
    expect(await create(body)).toMatchObject({ state: 'queued' });
    await api.admin.agent.remove({ params: { id } });
    expect((await ask('POST', '/operation', body)).status).toBe(409);
    expect((await ask('POST', '/operation', { ...body, agent_id: 2_147_483_647 })).status).toBe(404);
  });

  it('accepts the known kinds alone, and a version for upgrade alone', async () => {
    const { id } = await api.agent();
    for (const [more, path] of [
      [{ kind: 'run' }, 'kind'],
      [{ kind: 'upgrade', params: { version: '1; rm -rf /' } }, 'params.version'],
      [{ kind: 'upgrade', params: { version: '-x' } }, 'params.version'],
      [{ kind: 'collect_facts', params: { version: '1' } }, 'params.version'],
      [{ kind: 'upgrade', start_within: 9 }, 'start_within'],
      [{ kind: 'upgrade', run_within: 86_401 }, 'run_within'],
      [{ kind: 'collect_facts', params: { command: 'id' } }, 'params.command'],
    ] as const) {
      const { status, body } = await ask('POST', '/operation', { agent_id: id, ...more });
      expect([status, body.err.fields[0].path]).toEqual([400, `body.${path}`]);
    }
    await create({ agent_id: id, kind: 'collect_facts' });
    expect((await only(id)).params).toEqual({});
  });
});

describe('GET /api/agents/operation', () => {
  it('lists the newest first, by agent and by state', async () => {
    const [one, other] = [await api.agent(), await api.agent()];
    const first = await create({ agent_id: one.id, kind: 'upgrade' });
    const second = await create({ agent_id: one.id, kind: 'collect_facts' });
    const third = await create({ agent_id: other.id, kind: 'collect_facts' });
    await cancel(first.id);
    expect((await list({ agent_id: one.id })).data.map(({ id }) => id)).toEqual([second.id, first.id]);
    expect((await list({ agent_id: one.id, state: 'cancelled' })).data.map(({ id }) => id)).toEqual([first.id]);
    expect((await list({})).data.slice(0, 2).map(({ id }) => id)).toEqual([third.id, second.id]);
    expect(await list({ agent_id: one.id, page_size: 1, page: 2 })).toMatchObject({
      data: [{ id: first.id }],
      meta: { count: 2 },
    });
  });
});

describe('DELETE /api/agents/operation/{id}', () => {
  it('cancels an operation that has not started', async () => {
    const agent = await api.agent();
    const queued = await create({ agent_id: agent.id, kind: 'upgrade' });
    expect(await cancel(queued.id)).toBeUndefined();
    expect(await only(agent.id)).toMatchObject({ state: 'cancelled', detail: 'Cancelled by admin.', deadline: 0 });
    expect(await looksForOrders(agent.id)).toBe(false);
    expect((await beat(agent)).body.data.operations).toBeUndefined();
    const delivered = await create({ agent_id: agent.id, kind: 'collect_facts' });
    expect((await beat(agent)).body.data.operations).toMatchObject([{ id: delivered.id }]);
    await cancel(delivered.id);
    expect(await historyOf(agent.id)).toEqual([
      ['upgrade', '', 'queued', 'admin'],
      ['upgrade', 'queued', 'cancelled', 'admin'],
      ['collect_facts', '', 'queued', 'admin'],
      ['collect_facts', 'delivered', 'cancelled', 'admin'],
    ]);
    const { data } = await api.admin.audit.list({ query: { action: 'agent_operation.cancel' } });
    expect(data[0]).toMatchObject({ target: { id: delivered.id }, detail: { state: 'delivered' } });
  });

  it('rejects a running, ended or unknown operation', async () => {
    const agent = await api.agent();
    const { id } = await create({ agent_id: agent.id, kind: 'upgrade' });
    await beat(agent);
    await beat(agent, { operations: [{ id, state: 'running', progress: 5 }] });
    const refusal = async () => (await ask('DELETE', `/operation/${id}`)).body;
    expect(await refusal()).toMatchObject({
      status: 409,
      msg: 'The agent is already running the operation. Wait until it ends.',
    });
    await beat(agent, { operations: [{ id, state: 'succeeded' }] });
    expect(await refusal()).toMatchObject({ status: 409, msg: 'The operation has already ended.' });
    expect((await ask('DELETE', '/operation/2147483647')).status).toBe(404);
    expect(await only(agent.id)).toMatchObject({ state: 'succeeded' });
  });
});

describe('an operation past its deadline', () => {
  it('expires if the agent did not report', async () => {
    const agent = await api.agent();
    await create({ agent_id: agent.id, kind: 'upgrade', start_within: 100 });
    await passing(95);
    expect((await only(agent.id)).state).toBe('queued');
    await passing(10);
    expect(await only(agent.id)).toMatchObject({
      state: 'expired',
      deadline: 0,
      detail: 'The agent did not report before the deadline.',
    });
    expect(await looksForOrders(agent.id)).toBe(false);
    expect((await beat(agent)).body.data.operations).toBeUndefined();
    expect((await historyOf(agent.id)).at(-1)).toEqual(['upgrade', 'queued', 'expired', '']);
    expect(await create({ agent_id: agent.id, kind: 'upgrade' })).toMatchObject({ state: 'queued' });
  });

  it('expires if the agent did not start it', async () => {
    const agent = await api.agent();
    await create({ agent_id: agent.id, kind: 'upgrade', start_within: 100 });
    await beat(agent);
    expect((await only(agent.id)).state).toBe('delivered');
    await passing(105);
    expect(await only(agent.id)).toMatchObject({
      state: 'expired',
      detail: 'The agent received the operation and did not start it before the deadline.',
    });
  });

  it('expires if the agent did not finish it; the agent is idle and cannot end it later', async () => {
    const agent = await api.agent();
    const { id } = await create({ agent_id: agent.id, kind: 'upgrade', run_within: 50 });
    await beat(agent);
    await beat(agent, { operations: [{ id, state: 'running', progress: 40, detail: 'unpacking' }] });
    await using stream = await listenEvents(api.admin);
    await passing(45);
    expect((await only(agent.id)).state).toBe('running');
    await passing(10);
    expect(await only(agent.id)).toMatchObject({ state: 'expired', progress: 40 });
    const { data } = await stream.first((event) => isOf(agent.id)(event) && event.data.progress.current === 0);
    expect(data.progress).toEqual({ current: 0, detail: '' });
    await beat(agent, { operations: [{ id, state: 'succeeded' }] });
    expect((await only(agent.id)).state).toBe('expired');
    expect((await historyOf(agent.id)).at(-1)).toEqual(['upgrade', 'running', 'expired', '']);
  });

  it('expires also after the clock was set, earlier if it was set forward', async () => {
    const agent = await api.agent();
    await create({ agent_id: agent.id, kind: 'upgrade', start_within: 3600 });
    const state = async () => {
      await passing(0);
      return (await only(agent.id)).state;
    };
    api.setClock(-3_600_000);
    expect(await state()).toBe('queued');
    api.advance(3_700_000);
    expect(await state()).toBe('queued');
    api.setClock(3_600_000);
    expect(await state()).toBe('expired');
  });

  it('is removed 90 days after it ended, and not before', async () => {
    const { id } = await api.agent();
    await cancel((await create({ agent_id: id, kind: 'upgrade' })).id);
    const count = async () => {
      await api.server.jobs.runAll();
      return (await list({ agent_id: id })).meta.count;
    };
    api.advance(89 * 86_400_000);
    expect(await count()).toBe(1);
    api.advance(2 * 86_400_000);
    expect(await count()).toBe(0);
  });

  it('is cancelled when its agent is deleted', async () => {
    const agent = await api.agent();
    const { id } = await create({ agent_id: agent.id, kind: 'upgrade' });
    await create({ agent_id: agent.id, kind: 'collect_facts' });
    await beat(agent);
    await beat(agent, { operations: [{ id, state: 'running', progress: 3 }] });
    await api.admin.agent.remove({ params: { id: agent.id } });
    const { data } = await list({ agent_id: agent.id });
    expect(data.map(({ state, detail }) => [state, detail])).toEqual([
      ['cancelled', 'The agent was deleted.'],
      ['cancelled', 'The agent was deleted.'],
    ]);
    const restored = await api.admin.agent.restore({ params: { id: agent.id } });
    expect(restored.progress).toEqual({ current: 0, detail: '' });
    expect(await looksForOrders(agent.id)).toBe(false);
  });
});

describe('the delivery of an operation', () => {
  /** An agent, and a queued operation. */
  async function agentWithOperation(draft: Partial<Draft> = { kind: 'upgrade', params: { version: '2.0' } }) {
    const agent = await api.agent();
    const { id: operation } = await create({
      agent_id: agent.id,
      start_within: 3600,
      run_within: 600,
      ...draft,
    } as Draft);
    const { db } = api.server.deps;
    const stored = () => db.read.prisma.operation.findUniqueOrThrow({ where: { id: operation } });
    const orders = async (body: unknown = {}) => (await beat(agent, body)).body.data.operations;
    const report = (...operations: object[]) => orders({ operations });
    return { agent, operation, stored, orders, report };
  }

  it('is repeated with each answer until the agent reports its start', async () => {
    const { operation, stored, orders, report } = await agentWithOperation();
    for (let round = 0; round < 2; round += 1) {
      const [order, ...more] = await orders();
      expect(more).toEqual([]);
      expect(order).toMatchObject({ id: operation, kind: 'upgrade', params: { version: '2.0' }, seconds: 600 });
      expect(Math.abs(order.deadline - api.now() / 1000 - 600)).toBeLessThan(60);
      expect(await stored()).toMatchObject({ state: 'delivered', progress: 0 });
    }
    expect(await report({ id: operation, state: 'running', progress: 10, detail: 'fetching' })).toBe(undefined);
    const begun = await stored();
    expect(begun).toMatchObject({ state: 'running', progress: 10, detail: 'fetching' });
    // The run has a deadline of its own, which counts from its start.
    expect(Number(begun.deadlineMs)).toBeLessThanOrEqual(api.now() + 600_000);
    expect(await report({ id: operation, state: 'running', progress: 50 })).toBe(undefined);
    expect(await stored()).toMatchObject({ progress: 50, detail: 'fetching', deadlineMs: begun.deadlineMs });
  });

  it('shows as the progress of the agent, and ends once with a history entry', async () => {
    const { agent, operation, stored, orders, report } = await agentWithOperation();
    await report({ id: operation, state: 'running', progress: 30, detail: 'half way' });
    expect((await agentOf(agent.id)).progress).toEqual({ current: 30, detail: 'half way' });
    await report({ id: operation, state: 'succeeded', detail: 'done' });
    expect(await stored()).toMatchObject({ state: 'succeeded', progress: 100, detail: 'done', deadlineMs: 0n });
    expect((await agentOf(agent.id)).progress).toEqual({ current: 0, detail: '' });
    // The agent repeats a report until it is answered. An ended operation stays ended.
    await report({ id: operation, state: 'succeeded', detail: 'done' });
    await report({ id: operation, state: 'failed', detail: 'no' }, { id: operation, state: 'running', progress: 3 });
    expect(await stored()).toMatchObject({ state: 'succeeded', progress: 100, detail: 'done' });
    expect((await agentOf(agent.id)).progress).toEqual({ current: 0, detail: '' });
    expect(await orders()).toBe(undefined);
    const { db } = api.server.deps;
    expect((await db.read.prisma.agent.findUniqueOrThrow({ where: { id: agent.id } })).hasOperations).toBe(false);
    const history = await db.read.prisma.agentChange.findMany({
      where: { agentId: agent.id, kind: 'operation' },
      orderBy: { id: 'asc' },
    });
    expect(history.map(({ before, after }) => [before, after])).toEqual([
      ['', 'queued'],
      ['running', 'succeeded'],
    ]);
  });

  it('keeps its progress when it fails', async () => {
    const { operation, stored, report } = await agentWithOperation({ kind: 'restart_tailer' });
    await report({ id: operation, state: 'failed', progress: 40, detail: 'no hook is configured' });
    expect(await stored()).toMatchObject({ state: 'failed', progress: 40, detail: 'no hook is configured' });
  });

  it('is not delivered after its deadline', async () => {
    const { stored, orders } = await agentWithOperation();
    api.advance(3_602_000);
    expect(await orders()).toBe(undefined);
    expect((await stored()).state).toBe('queued');
  });

  it('is nobody else\u2019s to speak of', async () => {
    const { operation, stored } = await agentWithOperation();
    const other = await api.agent();
    expect((await beat(other, { operations: [{ id: operation, state: 'succeeded' }] })).status).toBe(200);
    expect((await stored()).state).toBe('queued');
    expect((await agentOf(other.id)).progress).toEqual({ current: 0, detail: '' });
  });
});
