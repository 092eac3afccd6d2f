import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentCalls } from '../../../test/agent-calls.ts';
import { startApi, type TestApi } from '../../../test/start-api.ts';

const HOUR_S = 3_600;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const { agentOf, beat } = agentCalls(() => api);

/** An agent, and a queued operation. */
async function agentWithOperation(kind = 'upgrade', params = '{"version":"2.0"}') {
  const agent = await api.agent();
  const { db } = api.server.deps;
  const times = { createdMs: BigInt(api.now()), modifiedMs: BigInt(api.now()) };
  const deadlineMs = BigInt(api.now() + HOUR_S * 1000);
  const { id: operation } = await db.write(async (tx) => {
    await tx.prisma.agent.update({ where: { id: agent.id }, data: { hasOperations: true } });
    const data = { agentId: agent.id, kind, params, deadlineMs, runWithinS: 600, createdBy: 'admin', ...times };
    return await tx.prisma.operation.create({ data });
  });
  const stored = () => db.read.prisma.operation.findUniqueOrThrow({ where: { id: operation } });
  const orders = async (body: unknown = {}) => (await beat(agent, body)).body.data.operations;
  const report = (...operations: object[]) => orders({ operations });
  return { agent, operation, stored, orders, report };
}

describe('an operation', () => {
  it('is delivered with each answer until the agent reports its start', async () => {
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
    const history = await db.read.prisma.agentChange.findMany({ where: { agentId: agent.id, kind: 'operation' } });
    expect(history).toMatchObject([{ field: 'upgrade', before: 'running', after: 'succeeded' }]);
  });

  it('keeps its progress when it fails', async () => {
    const { operation, stored, report } = await agentWithOperation('restart_tailer', '{}');
    await report({ id: operation, state: 'failed', progress: 40, detail: 'no hook is configured' });
    expect(await stored()).toMatchObject({ state: 'failed', progress: 40, detail: 'no hook is configured' });
  });

  it('is not delivered after its deadline', async () => {
    const { stored, orders } = await agentWithOperation();
    api.advance(HOUR_S * 1000 + 1);
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
