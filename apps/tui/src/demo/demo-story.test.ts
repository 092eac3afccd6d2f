import { contract } from '@quarterdeck/core';
import { createClient } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { createDemo } from './demo-server.ts';

const NOW_MS = 1_763_000_000_000;

function demo() {
  let nowMs = NOW_MS;
  const made = createDemo({ now: () => nowMs, everyMs: 0 });
  const client = createClient({ url: 'http://demo.test', apiToken: `qd_t_${'D'.repeat(49)}`, fetch: made.fetch });
  const ticks = (n: number): void => {
    for (let tick = 0; tick < n; tick += 1) {
      nowMs += 1_000;
      made.tick();
    }
  };
  return { client, ticks };
}

describe('the story of the demo', () => {
  it('has a kernel upgrade that explains an error better than anything else', async () => {
    const { client } = demo();
    const { data } = await client.errlog.list({ query: { q: 'sendfile', sort: 'first_seen' } });
    const changes = await client.errlog.changes({ params: { id: data[0]?.id ?? 0 }, query: {} });
    const first = changes.windows.find(({ kind }) => kind === 'first_seen');
    expect(first).toMatchObject({ affected: 5, unknown: 1 });
    expect(first?.changes[0]).toMatchObject({
      field: 'system_version.kernel',
      affected: { with: 5, of: 5 },
      unaffected: { with: 1 },
    });
    expect(first?.changes.map(({ score }) => score)).toEqual(
      first?.changes.map(({ score }) => score).toSorted((a, b) => b - a),
    );
    expect(contract.errlog.changes.data.parse(changes)).toEqual(changes);
  });

  it('has a deployment on the hosts of the API', async () => {
    const { client } = demo();
    const agents = await client.agent.list({ query: { q: 'api-', state: 'online', _pagesize: 100 } });
    for (const { id } of agents.slice(0, 5)) {
      const { data } = await client.agent.events({ params: { id }, query: { page_size: 100 } });
      const reported = data.filter(({ kind }) => kind === 'change');
      expect(reported).toMatchObject([{ field: 'deploy', name: 'checkout', from: '2.8.4', to: '2.9.0' }]);
    }
  });

  it('has an outage that ends host by host, and operations that get on', async () => {
    const { client, ticks } = demo();
    const outage = async () => (await client.outage.list({ query: {} })).data[0];
    expect(await outage()).toMatchObject({ ended: null, returned: 0, lost: 7 });
    ticks(600);
    const over = await outage();
    expect(over?.returned).toBe(over?.lost);
    expect(over?.ended).not.toBeNull();
    const { data } = await client.agentOperation.list({ query: { page_size: 100 } });
    expect(data.filter(({ state }) => ['queued', 'delivered', 'running'].includes(state))).toEqual([]);
  });

  it('answers as the contract says', async () => {
    const { client } = demo();
    const agents = await client.agent.list({ query: { detail: 1, include_deleted: true, _pagesize: 1_000 } });
    expect(contract.agent.list.data.parse(agents)).toEqual(agents);
    expect(new Set(agents.map(({ state }) => state)).size).toBe(5);
    const totals = await client.agent.totals({ query: {} });
    expect(contract.agent.totals.data.parse(totals)).toEqual(totals);
    expect(totals.states.reduce((sum, { count }) => sum + count, 0)).toBe(totals.count);
    for (const { id } of agents.slice(0, 10)) {
      const events = await client.agent.events({ params: { id }, query: {} });
      expect(contract.agent.events.data.parse(events)).toEqual(events);
    }
    for (const list of [
      client.enrollment.list,
      client.kernelRule.list,
      client.outage.list,
      client.agentOperation.list,
    ]) {
      const page = await list({ query: {} });
      expect(page.data.length).toBeGreaterThan(0);
    }
  });
});
