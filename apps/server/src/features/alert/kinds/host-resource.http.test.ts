// Rules about resources of hosts: agents send vitals, and a rule reports what is over a limit, since when,
// and its end.
import { afterEach, describe, expect, it } from 'vitest';
import { agentCalls } from '../../../../test/agent-calls.ts';
import { alertCalls } from '../../../../test/alert-kind-calls.ts';
import { removeFleet, useSteadyApi } from '../../../../test/steady-api.ts';

const MINUTE_MS = 60_000;

const api = useSteadyApi();
const calls = alertCalls(api);
const { beat } = agentCalls(api);
afterEach(() => removeFleet(api));

type Agent = Awaited<ReturnType<typeof api.agent>>;
const hostOf = ({ nodeId }: Agent) => `host-${nodeId}`;
const disk = (percent: number) => ({
  disk: { '/': { used: 10, free: 90 }, '/var': { used: percent, free: 100 - percent } },
});

/** Sends vitals, one after the other, a minute apart. */
async function send(agent: Agent, ...each: object[]): Promise<void> {
  for (const vitals of each) {
    api.advance(MINUTE_MS);
    expect(await beat(agent, { vitals })).toMatchObject({ status: 200 });
    await api.server.jobs.runAgents();
  }
}

describe('a rule host.resource', () => {
  it('reports which disk of a host is above the limit since when, and when it has fallen below', async () => {
    const [full, free] = [await api.agent(), await api.agent()];
    await send(full, disk(89), disk(91), disk(92));
    await send(free, disk(50), { cpu: 100, memory: 100, load: [90, 90, 90] });
    const id = await calls.watch({ when: { kind: 'host.resource', resource: 'disk' } });
    const [alert] = await calls.alertsOf(id);
    expect(await calls.alertsOf(id)).toHaveLength(1);
    expect(alert).toMatchObject({
      key: `agent:${full.id}`,
      state: 'firing',
      messages: 1,
      title: expect.stringMatching(`^disk /var of ${hostOf(full)}: 92 % since .* UTC, limit 90 %$`),
      detail: { agent_id: full.id, hostname: hostOf(full), resource: 'disk', percent: 92, limit: 90, path: '/var' },
    });
    const sinceMs = (alert?.since ?? 0) * 1000;
    expect(sinceMs).toBe(Math.floor(sinceMs / MINUTE_MS) * MINUTE_MS);
    await send(full, disk(89));
    await calls.round();
    expect(await calls.alertsOf(id, 'firing')).toHaveLength(1);
    await send(full, disk(87));
    await calls.round();
    expect(await calls.alertsOf(id, 'firing')).toHaveLength(0);
  });

  it('has the usual limits, counts the load by processor, and waits for as long as it must last', async () => {
    const [agent, calm] = [await api.agent(), await api.agent()];
    await send(calm, { cpu: 5, memory: 5, load: [0, 0, 0], cores: 8 });
    await send(agent, { cpu: 81, memory: 91, load: [9, 1, 1], cores: 8 });
    const rules = { cpu: 1, memory: 1, load: 1, disk: 0 } as const;
    for (const [resource, count] of Object.entries(rules)) {
      const when = { kind: 'host.resource', resource: resource as keyof typeof rules } as const;
      expect(await calls.alertsOf(await calls.watch({ when, channels: [] }))).toHaveLength(count);
    }
    const lasting = await calls.watch({ when: { kind: 'host.resource', resource: 'cpu', count: 70 }, for: 120 });
    expect(await calls.alertsOf(lasting)).toMatchObject([{ state: 'pending' }]);
    const { verdict } = await api.admin.alert.explain({ params: { id: lasting }, body: {} });
    expect(verdict).not.toContain(hostOf(calm));
    await send(agent, { cpu: 90 }, { cpu: 90 });
    await calls.round();
    expect(await calls.alertsOf(lasting)).toMatchObject([{ state: 'firing', title: expect.stringContaining('90 %') }]);
  });

  it('says when a disk that fills steadily will be full', async () => {
    const agent = await api.agent();
    await send(agent, ...Array.from({ length: 25 }, (_, i) => disk(70 + i)));
    const id = await calls.watch({ when: { kind: 'host.resource', resource: 'disk', count: 80 } });
    const [alert] = await calls.alertsOf(id);
    expect(alert?.title).toMatch(/, full in 6 min/);
    expect(Number(alert?.detail['full'])).toBeCloseTo(api.now() / 1000 + 360, -2);
  });

  it('begins no alert for a silent host, and leaves out those that the filter does not match', async () => {
    const [silent, other] = [await api.agent(), await api.agent()];
    await send(silent, disk(99));
    api.advance(6 * MINUTE_MS);
    await send(other, disk(99));
    const when = { kind: 'host.resource', resource: 'disk' } as const;
    expect(await calls.alertsOf(await calls.watch({ when }))).toMatchObject([{ key: `agent:${other.id}` }]);
    const filtered = await calls.watch({ when, filter: `host:${hostOf(silent)}` });
    expect(await calls.alertsOf(filtered)).toEqual([]);
  });

  it('is previewed and explained by the minutes of the past', async () => {
    const agent = await api.agent();
    await send(agent, disk(50), disk(95), disk(96), disk(50));
    const when = { kind: 'host.resource', resource: 'disk' } as const;
    const preview = await calls.preview({ when });
    expect(preview).toMatchObject({ fired: 1, complete: true });
    expect(preview.examples).toMatchObject([
      { key: `agent:${agent.id}`, title: `disk of ${hostOf(agent)}: up to 96 %` },
    ]);
    expect((await calls.preview({ when, for: 600 })).fired).toBe(0);
    const id = await calls.watch({ when });
    const at = Math.floor(preview.examples[0]?.time ?? 0) + 60;
    // A time of less than a minute ago counts as now, and all of a second is asked about.
    api.advance(1_000);
    const explain = async (body: object) => {
      const { conditions } = await api.admin.alert.explain({ params: { id }, body });
      return conditions.find(({ name }) => name === 'used');
    };
    expect(await explain({ at })).toMatchObject({ value: 96, limit: 90, met: true });
    expect(await explain({})).toMatchObject({ value: 50, limit: 90, met: false });
  });
});
