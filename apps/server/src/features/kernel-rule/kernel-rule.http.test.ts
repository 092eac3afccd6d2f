// Rules for bad kernels, and the agents that they match.
import { matchesKernel } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { agentCalls } from '../../../test/agent-calls.ts';
import { isOf } from '../../../test/event-calls.ts';
import { storeAgents } from '../../../test/fleet.ts';
import { listenEvents } from '../../../test/listen-events.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';
import { word } from '../../../test/word.ts';

const api = useSteadyApi();

const { ask, beat } = agentCalls(api);

const rules = () => api.admin.kernelRule;
const create = (pattern: string, reason = 'it panics') => rules().create({ body: { pattern, reason } });
const remove = (id: number) => rules().remove({ params: { id } });
const get = (id: number) => api.admin.agent.get({ params: { id }, query: { detail: 1, include_deleted: true } });

async function agentWith(kernel: string) {
  const agent = await api.agent();
  await beat(agent, { system_version: { kernel } });
  return agent;
}

/** History entries about bad kernels, oldest first. */
async function historyOf(id: number) {
  const { data } = await api.admin.agent.events({ params: { id }, query: { kind: 'changed' } });
  return data
    .filter(({ field }) => field === 'bad_kernel')
    .map(({ from, to }) => [from, to])
    .toReversed();
}

describe('POST /api/agents/kernel_rule', () => {
  it('marks matching agents and returns their number', async () => {
    const series = word();
    const [bad, good] = [await agentWith(`${series}-21-amd64`), await agentWith(`${series}.21-amd64`)];
    await using stream = await listenEvents(api.admin);
    const before = await get(bad.id);
    api.advance(1_000);
    const rule = await create(`${series}-2?-*`, 'loses packets');
    expect(rule).toMatchObject({ pattern: `${series}-2?-*`, reason: 'loses packets', agents: 1, created_by: 'admin' });
    const after = await get(bad.id);
    expect(after).toMatchObject({ bad_kernel: true, bad_kernel_reason: 'loses packets' });
    expect(after.modified).toBeGreaterThanOrEqual(before.modified + 1);
    expect(await get(good.id)).toMatchObject({ bad_kernel: false, bad_kernel_reason: '' });
    expect(await stream.first(isOf(bad.id))).toMatchObject({ type: 'agent.changed', data: { bad_kernel: true } });
    expect(await historyOf(bad.id)).toEqual([['false', 'true: loses packets']]);
    expect(await historyOf(good.id)).toEqual([]);
    const [event] = (await api.admin.agent.events({ params: { id: bad.id }, query: { kind: 'changed' } })).data;
    expect(event).toMatchObject({ field: 'bad_kernel', actor: 'admin' });
    const { data } = await api.admin.audit.list({ query: { action: 'kernel_rule.create' } });
    expect(data[0]).toMatchObject({ target: { kind: 'kernel_rule', id: rule.id } });
    // Also agents that register later, or change to such a kernel.
    const body = { node_id: word(), hostname: 'h', system_version: { kernel: `${series}-22-arm64` } };
    const later = await api.admin.agent.register({ body });
    expect(await get(later.id)).toMatchObject({ bad_kernel: true, bad_kernel_reason: 'loses packets' });
    expect((await rules().list({ query: { page_size: 1 } })).data).toEqual([{ ...rule, agents: 2 }]);
  });

  it('rejects an existing pattern and an invalid one', async () => {
    const pattern = `${word()}*`;
    const body = { pattern, reason: 'x' };
    const answers = await Promise.all(Array.from({ length: 4 }, () => ask('POST', '/kernel_rule', body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.msg).toBe('The pattern already exists.');
    expect((await ask('POST', '/kernel_rule', { ...body, pattern: 'a b' })).status).toBe(400);
    expect(
      (await rules().list({ query: { page_size: 10_000 } })).data.filter((rule) => rule.pattern === pattern),
    ).toHaveLength(1);
  });

  it('rejects more than 200 patterns', async () => {
    const { db } = api.server.deps;
    const row = { reason: 'filler', createdMs: 0n, createdBy: 'x' };
    const data = Array.from({ length: 200 - (await db.read.prisma.kernelRule.count()) }, () => ({
      ...row,
      pattern: word(),
    }));
    await db.write((tx) => tx.prisma.kernelRule.createMany({ data }));
    await expect(create('one more')).rejects.toMatchObject({ status: 400 });
    await expect(create('more')).rejects.toMatchObject({
      status: 409,
      message: 'The limit of 200 patterns is reached. Delete one first.',
    });
    await db.write((tx) => tx.prisma.kernelRule.deleteMany({ where: { reason: 'filler' } }));
  });
});

describe('DELETE /api/agents/kernel_rule/{id}', () => {
  it('unmarks agents unless another rule or the agent itself says the same', async () => {
    const series = word();
    const [plain, reporting] = [await agentWith(`${series}-1`), await agentWith(`${series}-2`)];
    await beat(reporting, { bad_kernel: true });
    const first = await create(`${series}-*`, 'first');
    const second = await create(`*${series}*`, 'second');
    // The older rule gives the reason.
    expect(await get(plain.id)).toMatchObject({ bad_kernel: true, bad_kernel_reason: 'first' });
    await remove(first.id);
    expect(await get(plain.id)).toMatchObject({ bad_kernel: true, bad_kernel_reason: 'second' });
    await remove(second.id);
    expect(await get(plain.id)).toMatchObject({ bad_kernel: false, bad_kernel_reason: '' });
    expect(await get(reporting.id)).toMatchObject({ bad_kernel: true, bad_kernel_reason: '' });
    expect(await historyOf(plain.id)).toEqual([
      ['false', 'true: first'],
      ['true: first', 'true: second'],
      ['true: second', 'false'],
    ]);
    expect((await ask('DELETE', `/kernel_rule/${first.id}`)).status).toBe(404);
    const { data } = await api.admin.audit.list({ query: { action: 'kernel_rule.delete' } });
    expect(data[0]?.detail).toEqual({ before: { pattern: `*${series}*`, reason: 'second' } });
  });

  it('applies to deleted agents after they are restored', async () => {
    const series = word();
    const agent = await agentWith(series);
    const { id } = await create(series);
    await api.admin.agent.remove({ params: { id: agent.id } });
    expect((await rules().list({ query: { page_size: 1 } })).data[0]).toMatchObject({ id, agents: 0 });
    await remove(id);
    expect(await api.admin.agent.restore({ params: { id: agent.id } })).toMatchObject({ bad_kernel: false });
  });
});

describe('a change of the rules', () => {
  it('reaches every agent, with one resync event', async () => {
    const series = word();
    // More than one slice of the review.
    await storeAgents(api, 260, (n) => `${series}.${n % 7}`);
    await using stream = await listenEvents(api.admin);
    const rule = await create(`${series}.[0-5]`, 'no ranges here');
    expect(rule.agents).toBe(0);
    const all = await create(`${series}.*`, 'all');
    expect(all.agents).toBe(260);
    const { bad_kernel } = await api.admin.agent.totals({ query: { filter: `kernel:${series}*` } });
    expect(bad_kernel).toBe(260);
    expect((await stream.first(({ type }) => type === 'resync')).data).toEqual({ reason: 'burst', of: 'agent' });
  });

  it('is finished by the jobs if its server was stopped', async () => {
    const series = word();
    const agent = await agentWith(series);
    const { db } = api.server.deps;
    // The state of the database between the change and the review.
    await db.write(async (tx) => {
      await tx.prisma.kernelRule.create({ data: { pattern: series, reason: 'late', createdMs: 0n, createdBy: 'x' } });
      await tx.prisma.setting.create({ data: { name: 'kernel_review_due', value: 'x' } });
    });
    expect(await get(agent.id)).toMatchObject({ bad_kernel: false });
    await api.server.jobs.runAll();
    expect(await get(agent.id)).toMatchObject({ bad_kernel: true, bad_kernel_reason: 'late' });
    expect(await db.read.prisma.setting.count({ where: { name: 'kernel_review_due' } })).toBe(0);
  });

  it('agrees with concurrent changes of kernels', async () => {
    const series = word();
    const agents = await Promise.all(Array.from({ length: 10 }, () => api.agent()));
    const report = (n: number) =>
      Promise.all(agents.map((agent, i) => beat(agent, { system_version: { kernel: `${series}-${(n + i) % 3}` } })));
    const patterns = [`${series}-0`, `${series}-1`];
    await Promise.all([report(0), ...patterns.map((pattern) => create(pattern, pattern)), report(1), report(2)]);
    for (const { id } of agents) {
      const { bad_kernel_reason, bad_kernel, system_version } = await get(id);
      const reason = patterns.find((pattern) => matchesKernel(pattern, system_version.kernel)) ?? '';
      expect([bad_kernel_reason, bad_kernel]).toEqual([reason, reason !== '']);
    }
  });
});
