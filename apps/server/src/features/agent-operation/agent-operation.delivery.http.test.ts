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

/** An agent, and an operation that waits for it. */
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
  it('is handed out with each answer until the agent says that it has begun', async () => {
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
    // A step of its own, with its own deadline, that goes on from when it began.
    expect(Number(begun.deadlineMs)).toBeLessThanOrEqual(api.now() + 600_000);
    expect(await report({ id: operation, state: 'running', progress: 50 })).toBe(undefined);
    expect(await stored()).toMatchObject({ progress: 50, detail: 'fetching', deadlineMs: begun.deadlineMs });
  });

  it('shows as what the agent is at, ends once, and is a line of the history then', async () => {
    const { agent, operation, stored, orders, report } = await agentWithOperation();
    await report({ id: operation, state: 'running', progress: 30, detail: 'half way' });
    expect((await agentOf(agent.id)).progress).toEqual({ current: 30, detail: 'half way' });
    await report({ id: operation, state: 'succeeded', detail: 'done' });
    expect(await stored()).toMatchObject({ state: 'succeeded', progress: 100, detail: 'done', deadlineMs: 0n });
    expect((await agentOf(agent.id)).progress).toEqual({ current: 0, detail: '' });
    // The agent says so again until it was answered; and what has ended stays ended.
    await report({ id: operation, state: 'succeeded', detail: 'done' });
    await report({ id: operation, state: 'failed', detail: 'no' }, { id: operation, state: 'running', progress: 3 });
    expect(await stored()).toMatchObject({ state: 'succeeded', progress: 100, detail: 'done' });
    expect((await agentOf(agent.id)).progress).toEqual({ current: 0, detail: '' });
    expect(await orders()).toBe(undefined);
    const { db } = api.server.deps;
    expect((await db.read.prisma.agent.findUniqueOrThrow({ where: { id: agent.id } })).hasOperations).toBe(false);
    const happenings = await db.read.prisma.agentChange.findMany({ where: { agentId: agent.id, kind: 'operation' } });
    expect(happenings).toMatchObject([{ field: 'upgrade', before: 'running', after: 'succeeded' }]);
  });

  it('may fail, and keeps how far it came', async () => {
    const { operation, stored, report } = await agentWithOperation('restart_tailer', '{}');
    await report({ id: operation, state: 'failed', progress: 40, detail: 'no hook is configured' });
    expect(await stored()).toMatchObject({ state: 'failed', progress: 40, detail: 'no hook is configured' });
  });

  it('is not handed out once its time to begin is over', async () => {
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
