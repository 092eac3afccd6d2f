// Vitals of hosts: agents send them beside their reports, and people read them by the minute.
import { describe, expect, it } from 'vitest';
import { agentCalls } from '../../../test/agent-calls.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';
import { createHourPacker } from './finished-hours.ts';
import { readVitals, removeOldVitals } from './vitals.repo.ts';

const DAY_S = 86_400;
const api = useSteadyApi();
const { beat } = agentCalls(api);

const storeAll = () => api.server.jobs.runAgents();
const minuteS = () => Math.floor(api.now() / 60_000) * 60;

/** Sends vitals and waits until they are stored. */
async function send(agent: { id: number; secret: string }, vitals: object, more: object = {}): Promise<void> {
  expect(await beat(agent, { vitals, ...more })).toMatchObject({ status: 200 });
  await storeAll();
}

const read = (id: number, query: { start_time?: number; end_time?: number } = {}) =>
  api.admin.agent.vitals({ params: { id }, query });

describe('vitals of an agent', () => {
  it('are kept by the minute, the first of each minute, also beside other news', async () => {
    const agent = await api.agent();
    const first = minuteS();
    const disk = { '/': { used: 99, free: 1 }, '/var': { used: 1, free: 3 } };
    await send(agent, { cpu: 12.5, memory: 80, swap: 0, load: [1, 2, 3], uptime: 100, fds: 7, tcp: 8, disk });
    await send(agent, { cpu: 99 });
    api.advance(60_000);
    await send(agent, { cpu: 50 }, { kernel: 'other', system_version: { kernel: '6.99' } });
    api.advance(60_000);
    await send(agent, { cpu: 51, disk: { '/': { used: 98, free: 2 } } });
    const { data, meta } = await read(agent.id);
    expect(data).toMatchObject([
      { time: first, cpu: 12.5, memory: 80, swap: 0, load: [1, 2, 3], uptime: 100, fds: 7, tcp: 8, disk },
      { time: first + 60, cpu: 50, memory: null, disk: {} },
      { time: first + 120, cpu: 51, disk: { '/': { used: 98, free: 2 } } },
    ]);
    expect(meta.count).toBe(3);
    const middle = { start_time: first + 60, end_time: first + 119 };
    expect((await read(agent.id, middle)).data).toMatchObject([{ time: first + 60 }]);
  });

  it('are refused out of bounds, while unknown fields of a newer agent are accepted', async () => {
    const agent = await api.agent();
    const many = Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`/${i}`, { used: 1, free: 1 }]));
    const wrong = [
      ...[{ cpu: 101 }, { memory: -1 }, { swap: '5' }, { load: [1, 2] }, { load: [1, 2, -3] }, { uptime: 1e300 }],
      ...[{ fds: 0.5 }, { cores: 0 }, { disk: { '/': { used: -1, free: 0 } } }, { disk: { '/': { used: 1 } } }],
      ...[
        { disk: many },
        { disk: { ['/'.repeat(201)]: { used: 1, free: 1 } } },
        { disk: { '\0': { used: 1, free: 1 } } },
      ],
    ];
    for (const vitals of wrong) expect(await beat(agent, { vitals })).toMatchObject({ status: 400 });
    await send(agent, { cpu: 1, entropy: 256, disk: JSON.parse('{"__proto__":{"used":1,"free":1}}') });
    expect((await read(agent.id)).data).toMatchObject([{ cpu: 1 }]);
  });

  it('stay the same when a finished hour is stored again', async () => {
    const { db } = api.server.deps;
    const agents = [await api.agent(), await api.agent()];
    for (let minute = 0; minute < 3; minute += 1) {
      for (const agent of agents) await send(agent, { cpu: minute, disk: { '/': { used: minute, free: 9 } } });
      api.advance(60_000);
    }
    const ids = agents.map(({ id }) => id);
    const readAll = () => readVitals(db.read, ids, 0, api.now());
    const before = await readAll();
    expect(before.get(ids[1] ?? 0)).toHaveLength(3);
    const packFinishedHour = createHourPacker(db);
    for (const hours of [1, 1, 2]) await packFinishedHour(api.now() + hours * 3_600_000, () => false);
    expect(await readAll()).toEqual(before);
  });

  it('are removed after 14 days, and with their agent', async () => {
    const { db } = api.server.deps;
    const agent = await api.agent();
    await send(agent, { cpu: 1 });
    const end_time = Math.floor(api.now() / 1000);
    await db.write((tx) => removeOldVitals(tx, api.now() + 13 * DAY_S * 1000));
    expect((await read(agent.id, { end_time })).data).toHaveLength(1);
    await db.write((tx) => removeOldVitals(tx, api.now() + 15 * DAY_S * 1000));
    expect((await read(agent.id, { end_time })).data).toHaveLength(0);
    api.advance(60_000);
    await send(agent, { cpu: 2 });
    await api.admin.agent.remove({ params: { id: agent.id } });
    await api.admin.agent.purge({ params: { id: agent.id } });
    expect(await db.read.prisma.agentVitals.count({ where: { agentId: agent.id } })).toBe(0);
  });
});
