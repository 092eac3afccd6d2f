// Resources over their limits beside an error: in its windows, and in the message about it.
import type { ChangeWindow } from '@quarterdeck/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { agentCalls } from '../../../test/agent-calls.ts';
import { watch } from '../../../test/alert-calls.ts';
import { MadeError } from '../../../test/fleet.ts';
import { removeFleet, useSteadyApi } from '../../../test/steady-api.ts';

const MINUTE_MS = 60_000;
const api = useSteadyApi();
const { beat } = agentCalls(api);
beforeEach(() => removeFleet(api));

type Agent = Awaited<ReturnType<typeof api.agent>>;
const nowS = () => Math.floor(api.now() / 1000);
const clockOf = (seconds: number) => new Date(seconds * 1000).toISOString().slice(11, 16);
const minuteS = () => Math.floor(nowS() / 60) * 60;
const full = { disk: { '/': { used: 50, free: 50 }, '/var': { used: 100, free: 0 } }, cpu: 20, memory: 40 };
const free = { disk: { '/': { used: 50, free: 50 } }, cpu: 20, memory: 40 };

/** Sends the vitals of hosts and moves on by a minute. */
async function minute(...reported: readonly (readonly [agents: readonly Agent[], vitals: object])[]): Promise<void> {
  for (const [agents, vitals] of reported)
    for (const agent of agents) expect(await beat(agent, { vitals })).toMatchObject({ status: 200 });
  await api.server.jobs.runAgents();
  api.advance(MINUTE_MS);
}

const newAgents = async (n: number): Promise<Agent[]> => {
  const added: Agent[] = [];
  for (let i = 0; i < n; i += 1) added.push(await api.agent());
  return added;
};

async function errorOn(agents: readonly Agent[]): Promise<number> {
  const error = new MadeError(api.server.deps.db);
  const ids = await Promise.all(agents.map(({ id }) => error.onAgent(id, [nowS()])));
  return ids[0] ?? 0;
}

async function beginning(id: number): Promise<ChangeWindow> {
  const { windows } = await api.admin.errlog.changes({ params: { id }, query: {} });
  return windows.find(({ kind }) => kind === 'first_seen') as ChangeWindow;
}

describe('vitals beside an error', () => {
  it('name the full disk of a failing host, since when, and no cause', async () => {
    const [failing, others] = [await newAgents(1), await newAgents(3)];
    await minute([failing, free], [others, free]);
    const sinceS = minuteS();
    for (let i = 0; i < 3; i += 1) await minute([failing, full], [others, free]);
    const { vitals, summary, changes } = await beginning(await errorOn(failing));
    const [host] = await api.server.deps.db.read.prisma.agent.findMany({ where: { id: failing[0]?.id ?? 0 } });
    expect(changes.filter(({ strength }) => strength !== 'weak')).toEqual([]);
    expect(vitals).toEqual([
      {
        resource: 'disk',
        limit: 90,
        affected: { with: 1, of: 1 },
        unaffected: { with: 0, of: 3 },
        agents: [{ id: failing[0]?.id, hostname: host?.hostname, path: '/var', percent: 100, since: sinceS }],
        explanation: `The disk /var of ${host?.hostname} was 100 %, over 90 % since ${clockOf(sinceS)} UTC; none of 3 others was.`,
      },
    ]);
    expect(summary.split('\n').slice(1)).toEqual([
      'Nothing stands out.',
      vitals[0]?.explanation,
      `Next: look at ${host?.hostname}.`,
    ]);
  });

  it('name several hosts, and say where it began before the time that is known', async () => {
    const [failing, others] = [await newAgents(4), await newAgents(5)];
    const busy = { ...free, cpu: 97.26 };
    await minute([failing, busy], [others.slice(0, 2), busy], [others.slice(2), free]);
    const [cpu, ...more] = (await beginning(await errorOn(failing))).vitals;
    expect(more).toEqual([]);
    expect(cpu).toMatchObject({ resource: 'cpu', affected: { with: 4, of: 4 }, unaffected: { with: 2, of: 5 } });
    expect(cpu?.agents).toHaveLength(3);
    expect(cpu?.explanation).toMatch(
      /^The CPU of 4 of 4 hosts was over 80 % \(\S+ 97 % since before \d\d:\d\d UTC, .+, 1 more\); 2 of 5 others were\.$/,
    );
  });

  it('leave out what is over its limit on most other hosts, and what was over it long before or later', async () => {
    const [failing, others] = [await newAgents(1), await newAgents(3)];
    const usual = { ...free, memory: 95 };
    await minute([failing, { ...usual, cpu: 99 }], [others, usual]);
    for (let i = 0; i < 10; i += 1) await minute([failing, usual], [others, usual]);
    const id = await errorOn(failing);
    api.advance(5 * MINUTE_MS);
    await minute([failing, { ...full, memory: 95 }], [others, usual]);
    expect((await beginning(id)).vitals).toEqual([]);
  });

  it('are hidden from callers that may not read agents', async () => {
    const failing = await newAgents(1);
    await minute([failing, full]);
    const id = await errorOn(failing);
    const { token } = await api.admin.apiToken.create({ body: { name: 'errors', scopes: ['errlog:read'] } });
    const { windows } = await api.using(token).errlog.changes({ params: { id }, query: {} });
    expect(windows.map(({ vitals }) => vitals)).toEqual([[]]);
    expect((await beginning(id)).vitals).toHaveLength(1);
  });

  it('are in the message about the error', async () => {
    const [failing, others] = [await newAgents(1), await newAgents(2)];
    for (let i = 0; i < 2; i += 1) await minute([failing, full], [others, free]);
    const rule = await watch(api, { kind: 'errlog.new' });
    await errorOn(failing);
    await rule.round();
    const [message] = await rule.messages();
    expect(message?.data).toMatchObject({
      vitals: [expect.stringMatching(/^The disk \/var of \S+ was 100 %, over 90 % since .+; none of 2 others was\.$/)],
      cause: { change: null, strength: null, why: expect.not.stringContaining('twins in disk') },
    });
    const params = { id: (await rule.alerts())[0]?.id ?? 0 };
    expect((await api.admin.alert.instance({ params })).vitals).toHaveLength(1);
    const scopes = ['alert:read' as const, 'errlog:read' as const];
    const { token } = await api.admin.apiToken.create({ body: { name: 'alerts', scopes } });
    expect((await api.using(token).alert.instance({ params })).vitals).toEqual([]);
  });
});
