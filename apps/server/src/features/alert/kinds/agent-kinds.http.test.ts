// Rules about agents: an agent stops reporting, reports again, many do at once, an operation fails.
import { afterEach, describe, expect, it } from 'vitest';
import { agentCalls } from '../../../../test/agent-calls.ts';
import { alertCalls } from '../../../../test/alert-kind-calls.ts';
import { newFleet } from '../../../../test/fleet.ts';
import { removeFleet, useSteadyApi } from '../../../../test/steady-api.ts';

const SILENT_MS = 91_000;

const api = useSteadyApi();
const calls = alertCalls(api);
afterEach(() => removeFleet(api));

const { beat } = agentCalls(api);

interface Beating {
  readonly id: number;
  readonly secret: string;
}

/** Loses all agents but some. */
async function loseAllBut(...alive: readonly Beating[]) {
  api.advance(SILENT_MS);
  for (const agent of alive) await beat(agent);
  await calls.round();
}

/** Lets agents of an outage return, but for the last one; returns that one. */
async function endOutage(alive: Beating, members: readonly Beating[]): Promise<Beating | undefined> {
  for (const agent of [alive, ...members.slice(0, -1)]) await beat(agent);
  await calls.round();
  await calls.round();
  return members.at(-1);
}

/** Lets the time pass in which the last agents of an outage return. */
async function endReturns(...alive: readonly Beating[]) {
  for (let n = 0; n < 3; n += 1) {
    api.advance(SILENT_MS / 2);
    for (const agent of alive) await beat(agent);
  }
  await calls.settle();
}

const setMaintenance = (id: number, maintenance: boolean) =>
  api.admin.agent.update({ params: { id }, body: { maintenance } });
const setLabel = (id: number, labels: Record<string, string>) =>
  api.admin.agent.update({ params: { id }, body: { labels } });

describe('a rule agent.offline', () => {
  it('notifies of each agent once, and when it reports again', async () => {
    const [lost, alive] = [await api.agent(), await api.agent()];
    const rule = await calls.watch({ when: { kind: 'agent.offline' } });
    await loseAllBut(alive);
    await calls.round();
    const [alert, ...more] = await calls.alertsOf(rule);
    expect(more).toEqual([]);
    expect(alert).toMatchObject({
      key: `agent:${lost.id}`,
      state: 'firing',
      messages: 1,
      title: expect.stringMatching(`^host-${lost.nodeId} stopped reporting; last report 20..-..-.. ..:.. UTC$`),
      detail: { agent_id: lost.id, hostname: `host-${lost.nodeId}`, node_id: lost.nodeId, outage_id: 0, labels: {} },
    });
    await beat(lost);
    await calls.round();
    expect(await calls.alertsOf(rule)).toMatchObject([{ id: alert?.id, state: 'resolved' }]);
  });

  it('is quiet about agents that shut down, are deleted, or do not match', async () => {
    const [a, b, c] = [await api.agent(), await api.agent(), await api.agent()];
    const [d, e] = [await api.agent(), await api.agent()];
    await setLabel(c.id, { site: 'south' });
    await setLabel(d.id, { site: 'north' });
    await setLabel(e.id, { site: 'north' });
    const rule = await calls.watch({ when: { kind: 'agent.offline' }, filter: 'label.site:north' });
    const all = await calls.watch({ when: { kind: 'agent.offline' } });
    await a.client.agent.shutdown({ params: { id: a.id } });
    await api.admin.agent.remove({ params: { id: b.id } });
    await loseAllBut();
    expect((await calls.alertsOf(rule)).map(({ key }) => key)).toEqual([`agent:${d.id}`, `agent:${e.id}`]);
    expect((await calls.alertsOf(all)).map(({ key }) => key)).toEqual([c, d, e].map(({ id }) => `agent:${id}`));
    await api.admin.agent.remove({ params: { id: d.id } });
    await calls.round();
    expect((await calls.alertsOf(rule, 'firing')).map(({ key }) => key)).toEqual([`agent:${e.id}`]);
  });

  it('notifies of an agent in maintenance when the maintenance ends', async () => {
    const agent = await api.agent();
    await setMaintenance(agent.id, true);
    const rule = await calls.watch({ when: { kind: 'agent.offline' } });
    await loseAllBut();
    expect(await calls.alertsOf(rule)).toMatchObject([{ messages: 0, state: 'firing' }]);
    await setMaintenance(agent.id, false);
    await calls.round();
    expect(await calls.alertsOf(rule)).toMatchObject([{ messages: 1, state: 'firing' }]);
  });

  it('keeps an alert open while the agent stays away, also when it is inactive', async () => {
    await api.agent();
    const rule = await calls.watch({ when: { kind: 'agent.offline' } });
    await loseAllBut();
    api.advance(3 * 86_400_000);
    await calls.round();
    api.advance(14 * 86_400_000);
    await calls.round();
    expect(await calls.alertsOf(rule)).toMatchObject([{ state: 'firing', messages: 1 }]);
    // Nobody wants to be notified of agents that have been away for weeks.
    const late = await calls.watch({ when: { kind: 'agent.offline' } });
    expect(await calls.alertsOf(late)).toEqual([]);
  });

  it('notifies of an outage as one message without a rule about outages, and then who stays away', async () => {
    const alive = await api.agent();
    const fleet = await newFleet(api, 12);
    const rule = await calls.watch({ when: { kind: 'agent.offline' } });
    await loseAllBut(alive);
    await calls.round();
    const outage = { title: '12 agents stopped reporting at once', messages: 1, detail: { lost: 12 } };
    expect(await calls.alertsOf(rule)).toMatchObject([{ ...outage, state: 'firing' }]);
    const rest = await endOutage(alive, fleet);
    const last = { key: `agent:${rest?.id}`, state: 'firing' };
    expect(await calls.alertsOf(rule)).toMatchObject([
      { ...outage, state: 'resolved' },
      { ...last, messages: 0 },
    ]);
    await endReturns(alive, ...fleet.slice(0, 11));
    expect(await calls.alertsOf(rule, 'firing')).toMatchObject([{ ...last, messages: 1 }]);
  });

  it('notifies of the last agents of an outage only if they stay away after its end', async () => {
    const alive = await api.agent();
    const fleet = await newFleet(api, 20);
    const outages = await calls.watch({ when: { kind: 'agent.outage' } });
    const offline = await calls.watch({ when: { kind: 'agent.offline' } });
    const back = await calls.watch({ when: { kind: 'agent.back' } });
    await loseAllBut(alive);
    await calls.round();
    const rest = await endOutage(alive, fleet.slice(0, 19));
    expect(await calls.alertsOf(outages)).toMatchObject([{ state: 'resolved', messages: 1 }]);
    if (rest !== undefined) await beat(rest);
    await calls.settle();
    const notified = async (rule: number) => (await calls.alertsOf(rule)).filter(({ messages }) => messages > 0);
    expect([await notified(offline), await notified(back)]).toEqual([[], []]);
    await endReturns(alive, ...fleet.slice(0, 19));
    const last = `agent:${fleet[19]?.id}`;
    expect(await notified(offline)).toMatchObject([{ key: last, state: 'firing' }]);
    if (fleet[19] !== undefined) await beat(fleet[19]);
    await calls.settle();
    expect(await notified(offline)).toMatchObject([{ key: last, state: 'resolved' }]);
    expect((await notified(back)).map(({ key }) => key)).toEqual([last]);
  });

  it('hangs agents of an outage under the alert of the outage', async () => {
    const fleet = await newFleet(api, 12);
    const offline = await calls.watch({ when: { kind: 'agent.offline' } });
    const outages = await calls.watch({ when: { kind: 'agent.outage' } });
    await loseAllBut();
    await calls.round();
    const [outage, ...more] = await calls.alertsOf(outages);
    expect(more).toEqual([]);
    expect(outage).toMatchObject({
      title: '12 agents stopped reporting at once',
      state: 'firing',
      messages: 1,
      under: 12,
      detail: { lost: 12, sample: expect.arrayContaining([{ id: fleet[0]?.id, hostname: 'h' }]) },
    });
    const under = await calls.alertsOf(offline);
    expect(under).toHaveLength(12);
    expect(under.every(({ parent_id, messages }) => parent_id === outage?.id && messages === 0)).toBe(true);
    for (const agent of fleet) await beat(agent);
    await calls.round();
    await calls.round();
    expect((await calls.alertsOf(outages)).map(({ state }) => state)).toEqual(['resolved']);
    expect((await calls.alertsOf(offline)).every(({ state, messages }) => state === 'resolved' && messages === 0)).toBe(
      true,
    );
  });

  it('is previewed from the histories', async () => {
    const [lost, kept, south] = [await api.agent(), await api.agent(), await api.agent()];
    await setLabel(south.id, { site: 'south' });
    await setMaintenance(kept.id, true);
    await loseAllBut();
    api.advance(1);
    await setMaintenance(kept.id, false);
    await beat(lost);
    await loseAllBut();
    const preview = await calls.preview({ when: { kind: 'agent.offline' }, cooldown: 0, filter: '-label.site:south' });
    expect(preview).toMatchObject({ fired: 2, causes: 1, complete: true, why_incomplete: null });
    expect(preview.examples[0]).toMatchObject({ key: `agent:${lost.id}` });
    expect(await calls.preview({ when: { kind: 'agent.back' } })).toMatchObject({ fired: 1, causes: 1 });
  });
});

describe('a rule agent.back', () => {
  it('reports how long an agent was away', async () => {
    const [lost, polite, alive] = [await api.agent(), await api.agent(), await api.agent()];
    const rule = await calls.watch({ when: { kind: 'agent.back' } });
    const other = await calls.watch({ when: { kind: 'agent.back' }, filter: 'label.site:north' });
    await polite.client.agent.shutdown({ params: { id: polite.id } });
    await loseAllBut(alive);
    api.advance(200_000);
    for (const agent of [lost, polite, alive]) await beat(agent);
    await calls.settle();
    await calls.settle();
    const alerts = await calls.alertsOf(rule);
    expect(alerts).toMatchObject([
      {
        key: `agent:${lost.id}`,
        title: `host-${lost.nodeId} reports again after 3 min 20 s`,
        messages: 1,
        detail: { agent_id: lost.id, away_s: 200 },
      },
    ]);
    expect(alerts).toHaveLength(1);
    expect(await calls.alertsOf(other)).toEqual([]);
  });

  it('leaves agents in maintenance and of an outage without a notification', async () => {
    const quiet = await api.agent();
    await setMaintenance(quiet.id, true);
    const fleet = await newFleet(api, 12);
    const rule = await calls.watch({ when: { kind: 'agent.back' } });
    await loseAllBut();
    for (const agent of [quiet, ...fleet]) await beat(agent);
    await calls.settle();
    const alerts = await calls.alertsOf(rule);
    expect(alerts.map(({ key }) => key).sort()).toEqual(
      [quiet.id, ...fleet.map(({ id }) => id)].map((id) => `agent:${id}`).sort(),
    );
    expect(alerts.every(({ messages }) => messages === 0)).toBe(true);
  });
});

describe('a rule agent.outage', () => {
  it('counts the agents that are late, of which most are lost only later', async () => {
    const { db } = api.server.deps;
    // The server has listened for long enough.
    api.advance(SILENT_MS);
    for (const [i, { id }] of (await newFleet(api, 12)).entries()) {
      const lastReportedMs = BigInt(api.now() - (i < 3 ? 20_000 : 0));
      await db.write((tx) => tx.prisma.agent.update({ where: { id }, data: { lastReportedMs } }));
    }
    const offline = await calls.watch({ when: { kind: 'agent.offline' } });
    api.advance(SILENT_MS - 15_000);
    await calls.round();
    const outage = { title: '12 agents stopped reporting at once', messages: 1, detail: { lost: 3, late: 9 } };
    expect(await calls.alertsOf(offline)).toMatchObject([outage]);
    expect(await calls.alertsOf(await calls.watch({ when: { kind: 'agent.outage' } }))).toMatchObject([outage]);
  });

  it('is previewed from the outages of a day', async () => {
    const fleet = await newFleet(api, 12);
    await loseAllBut();
    expect(await calls.preview({ when: { kind: 'agent.outage' } })).toMatchObject({ fired: 1, complete: true });
    for (const agent of fleet) await beat(agent);
    await calls.round();
    api.advance(25 * 3_600_000);
    expect(await calls.preview({ when: { kind: 'agent.outage' } })).toMatchObject({ fired: 0 });
  });
});

describe('a rule operation.failed', () => {
  const order = (agent_id: number, kind: 'upgrade' | 'collect_facts') =>
    api.admin.agentOperation.create({ body: { agent_id, kind, start_within: 60 } });

  it('notifies of each failure once, with its reason', async () => {
    const [agent, quiet] = [await api.agent(), await api.agent()];
    await setMaintenance(quiet.id, true);
    const rule = await calls.watch({ when: { kind: 'operation.failed' } });
    const failed = await order(agent.id, 'upgrade');
    const good = await order(agent.id, 'collect_facts');
    const pending = await order(quiet.id, 'upgrade');
    for (const { id } of [failed, good]) await beat(agent, { operations: [{ id, state: 'running' }] });
    await beat(agent, { operations: [{ id: failed.id, state: 'failed', detail: 'no space left' }] });
    await beat(agent, { operations: [{ id: good.id, state: 'succeeded' }] });
    await calls.settle();
    await calls.settle();
    expect(await calls.alertsOf(rule)).toMatchObject([
      {
        key: `operation:${failed.id}`,
        title: `Operation upgrade failed on host-${agent.nodeId}: no space left`,
        messages: 1,
        detail: { operation_id: failed.id, agent_id: agent.id, reason: 'no space left', created_by: 'admin' },
      },
    ]);
    api.advance(61_000);
    await calls.settle();
    const late = (await calls.alertsOf(rule)).find(({ key }) => key === `operation:${pending.id}`);
    expect(late).toMatchObject({ messages: 0, detail: { state: 'expired' } });
    expect(await calls.preview({ when: { kind: 'operation.failed' } })).toMatchObject({ fired: 1, complete: true });
  });
});
