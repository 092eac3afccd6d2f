import { afterEach, describe, expect, it } from 'vitest';
import { agentCalls } from '../../../test/agent-calls.ts';
import { newFleet } from '../../../test/fleet.ts';
import { listenEvents } from '../../../test/listen-events.ts';
import { removeFleet, useSteadyApi } from '../../../test/steady-api.ts';

const WITHIN_MS = 90_000;

const api = useSteadyApi();
afterEach(() => removeFleet(api));

const { beat, agentOf } = agentCalls(api);

const sweep = () => api.server.jobs.runAgents();
const outages = async () => (await api.admin.outage.list()).data;
const offlineLines = () => api.server.deps.db.read.prisma.agentChange.count({ where: { kind: 'offline' } });

/** Agents that stay while the others go silent. */
async function loseAllBut(alive: readonly { id: number; secret: string }[]) {
  api.advance(WITHIN_MS - 19_000);
  for (const agent of alive) await beat(agent);
  api.advance(20_000);
  await sweep();
}

describe('many agents that go silent together', () => {
  it('are one outage: announced once, followed while they return, and over when nearly all have', async () => {
    const alive = [await api.agent()];
    const agents = await newFleet(api, 20);
    await using stream = await listenEvents(api.admin);
    await loseAllBut(alive);
    await sweep();
    const [outage, ...more] = await outages();
    expect(more).toEqual([]);
    expect(outage).toMatchObject({ ended: null, lost: 20, returned: 0 });
    expect(outage?.sample).toHaveLength(10);
    expect(outage?.sample[0]).toEqual({ id: agents[0]?.id, hostname: 'h' });
    expect(await offlineLines()).toBe(20);
    expect((await agentOf(agents[0]?.id ?? 0, 'detail=1')).state).toBe('offline');

    for (const agent of agents.slice(0, 12)) await beat(agent);
    await sweep();
    expect((await outages())[0]).toMatchObject({ ended: null, lost: 20, returned: 12 });
    for (const agent of agents.slice(12, 18)) await beat(agent);
    await sweep();
    const [over] = await outages();
    expect(over).toMatchObject({ lost: 20, returned: 18, sample: [] });
    expect(over?.ended).toBeGreaterThanOrEqual(outage?.started ?? 0);
    // Agents that return later have events of their own.
    const last = agents[19];
    if (last !== undefined) await beat(last);
    await stream.first(({ type, data }) => type === 'agent.online' && data.id === last?.id);
    await sweep();
    expect((await outages())[0]).toEqual(over);
    const received = stream.events.filter(({ type }) => type.startsWith('agent.'));
    expect(received.filter(({ type }) => type !== 'agent.outage').map(({ type }) => type)).toEqual(['agent.online']);
    const followed = received.filter(({ type }) => type === 'agent.outage').map(({ data }) => data);
    expect(followed.map(({ returned }) => returned)).toEqual([0, 12, 18]);
    expect(followed.at(-1)).toEqual(over);
    const online = await api.server.deps.db.read.prisma.agentChange.count({ where: { kind: 'online' } });
    expect(online).toBe(1 + 19);
  });

  /** Agents that report every five minutes, whose last reports were some time ago. */
  async function slowFleet(count: number, agoMs: (i: number) => number) {
    // The server has listened for long enough.
    api.advance(3_600_000);
    const agents = await newFleet(api, count);
    await api.server.deps.db.write(async ({ prisma }) => {
      for (const [i, { id }] of agents.entries()) {
        const lastReportedMs = BigInt(api.now() - agoMs(i));
        await prisma.agent.update({ where: { id }, data: { lastReportedMs, intervalS: 300 } });
      }
    });
    return agents;
  }
  const sweepFor = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 30_000) {
      await sweep();
      api.advance(30_000);
    }
  };

  it('are one outage also if they are lost one after the other', async () => {
    // All fail at one moment. Their last reports were up to an interval before.
    await slowFleet(40, (i) => i * 7_500);
    await using stream = await listenEvents(api.admin);
    api.advance(320_000);
    await sweepFor(340_000);
    expect(await outages()).toMatchObject([{ lost: 40, ended: null }]);
    await stream.first(({ type, data }) => type === 'agent.outage' && data.lost === 40);
    const received = stream.events.filter(({ type }) => type.startsWith('agent.'));
    expect(new Set(received.map(({ type }) => type))).toEqual(new Set(['agent.outage']));
    expect(received.length).toBeGreaterThan(2);
  });

  it('are one outage also if they report seldom and there are few of them', async () => {
    // Minutes pass between their losses.
    const [back] = await slowFleet(12, (i) => (i % 3) * 100_000);
    api.advance(450_000);
    await sweepFor(240_000);
    expect(await outages()).toMatchObject([{ lost: 12, ended: null }]);
    // An agent that fails by itself does not join.
    if (back !== undefined) await beat(back);
    api.advance(640_000);
    await sweep();
    expect(await outages()).toMatchObject([{ lost: 12, returned: 1 }]);
  });

  it('have an outage that ends when the absent ones are deleted or inactive', async () => {
    const agents = await newFleet(api, 12);
    await loseAllBut([]);
    const { db } = api.server.deps;
    const ids = agents.map(({ id }) => id);
    const deleted = { isDeleted: true, state: 'deleted', reason: 'deleted', deletedMs: BigInt(api.now()) };
    await db.write((tx) => tx.prisma.agent.updateMany({ where: { id: { in: ids.slice(0, 6) } }, data: deleted }));
    await sweep();
    expect(await outages()).toMatchObject([{ ended: null, lost: 12, returned: 0 }]);
    api.advance(14 * 86_400_000);
    await sweep();
    await sweep();
    expect(await outages()).toMatchObject([{ ended: expect.any(Number), lost: 12, returned: 0 }]);
  });

  it('do not count in maintenance', async () => {
    const agents = await newFleet(api, 14);
    const { db } = api.server.deps;
    const ids = agents.slice(5).map(({ id }) => id);
    await db.write((tx) => tx.prisma.agent.updateMany({ where: { id: { in: ids } }, data: { maintenance: true } }));
    await using stream = await listenEvents(api.admin);
    await loseAllBut([]);
    expect(await outages()).toEqual([]);
    await stream.until(() => stream.events.length >= 14);
    const types = stream.events.map(({ type }) => type).sort();
    expect(types).toEqual([...Array(9).fill('agent.changed'), ...Array(5).fill('agent.offline')]);
    expect(await offlineLines()).toBe(14);
  });
});

describe('few agents that go silent', () => {
  it('are announced one by one', async () => {
    await newFleet(api, 9);
    await using stream = await listenEvents(api.admin);
    await loseAllBut([]);
    expect(await outages()).toEqual([]);
    await stream.until(() => stream.events.length >= 9);
    expect(stream.events.map(({ type }) => type)).toEqual(Array(9).fill('agent.offline'));
  });

  it('are also a small part of a large fleet', async () => {
    const agents = await newFleet(api, 300);
    api.advance(WITHIN_MS + 1_000);
    const { db } = api.server.deps;
    const alive = { id: { in: agents.slice(12).map(({ id }) => id) } };
    await db.write((tx) => tx.prisma.agent.updateMany({ where: alive, data: { lastReportedMs: BigInt(api.now()) } }));
    await sweep();
    expect(await outages()).toEqual([]);
    expect(await offlineLines()).toBe(12);
  });
});

describe('GET /api/agents/outage', () => {
  it('lists outages, newest first, page by page', async () => {
    const fleet = await newFleet(api, 10);
    for (let round = 0; round < 3; round += 1) {
      for (const agent of fleet) await beat(agent);
      await loseAllBut([]);
    }
    for (const agent of fleet) await beat(agent);
    await sweep();
    const all = await outages();
    expect(all).toHaveLength(3);
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).sort((a, b) => b - a));
    expect(all.every(({ ended, lost }) => ended !== null && lost === 10)).toBe(true);
    const { data, meta } = await api.admin.outage.list({ query: { page: 2, page_size: 2 } });
    expect([data, meta.count]).toEqual([all.slice(2), 3]);
  });
});
