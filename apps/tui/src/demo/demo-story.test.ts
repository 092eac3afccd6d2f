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
  });

  it('opens on an error whose cause is found, among errors of many kinds', async () => {
    const { client } = demo();
    const { data } = await client.errlog.list({ query: { page_size: 16, detail: 1 } });
    const [first] = data;
    const { windows } = await client.errlog.changes({ params: { id: first?.id ?? 0 }, query: {} });
    for (const { changes } of windows) expect(changes[0]).toMatchObject({ strength: 'strong' });
    for (const [at, { fingerprint }] of data.entries())
      expect(fingerprint, `row ${at}`).not.toBe(data[at + 1]?.fingerprint);
    const distinct = (of: (row: (typeof data)[number]) => unknown): number => new Set(data.map(of)).size;
    expect(distinct(({ fingerprint }) => fingerprint)).toBeGreaterThan(8);
    expect(distinct(({ service }) => service)).toBeGreaterThan(3);
    expect(distinct(({ source }) => source)).toBeGreaterThan(6);
    expect(distinct(({ level }) => level)).toBeGreaterThan(4);
  });

  it('has a deployment and a changed file that explain an error each', async () => {
    const { client } = demo();
    const causeOf = async (q: string) => {
      const { data } = await client.errlog.list({ query: { q, page_size: 1 } });
      const { windows } = await client.errlog.changes({ params: { id: data[0]?.id ?? 0 }, query: {} });
      return windows.find(({ kind }) => kind === 'first_seen')?.changes[0];
    };
    expect(await causeOf('currency')).toMatchObject({
      kind: 'change',
      name: 'checkout',
      change_id: 1,
      strength: 'likely',
    });
    expect(await causeOf('limiting requests')).toMatchObject({ kind: 'config', has_diff: true, strength: 'strong' });
  });

  it('has changes from outside with effects, and sources with a ledger', async () => {
    const { client } = demo();
    const { data } = await client.change.list({ query: {} });
    const verdicts = await Promise.all(
      data.map(async ({ id }) => (await client.change.effects({ params: { id }, query: {} })).verdict),
    );
    expect(verdicts.slice(0, 3)).toEqual(['too_early', 'worse', 'no_difference']);
    const { data: sources } = await client.errlog.sources({ query: { page_size: 100 } });
    const src = sources.find(({ name }) => name === 'edge-sin-1')?.id ?? 0;
    const startS = NOW_MS / 1000 - 3_600;
    const ledger = await client.ledger.list({ query: { src, start_time: startS } });
    expect(ledger.meta).toMatchObject({ complete: false, gaps: [{ stage: 'missing', lines: 31 }] });
    expect(ledger.data.length).toBe(61);
    expect((await client.ledger.list({ query: { src: src + 1, start_time: startS } })).meta.complete).toBe(true);
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

  it('has lines for its errors, whose clients differ', async () => {
    const { client, ticks } = demo();
    const { data } = await client.errlog.list({ query: { q: 'sendfile', sort: '-count' } });
    const query = { filter: `group:${data[0]?.id}`, limit: 5 };
    const page = await client.line.list({ query });
    expect(page.data.length).toBe(5);
    expect(page.data[0]).toMatchObject({ time: data[0]?.log_time, log: data[0]?.log });
    expect(new Set(page.data.map(({ fields }) => fields['client'])).size).toBeGreaterThan(1);
    const older = await client.line.list({ query: { ...query, before: page.meta.before ?? '' } });
    const back = await client.line.list({ query: { ...query, after: older.meta.after ?? '' } });
    expect(back.data).toEqual(page.data);
    const [line] = page.data;
    const around = await client.line.context({ params: { id: line?.id ?? '' }, query: { same: 'source' } });
    expect(new Set(around.data.map(({ host }) => host))).toEqual(new Set([line?.host]));
    const values = await client.line.values({ query: { field: 'client', filter: query.filter } });
    expect(values.values[0]?.count).toBeGreaterThan(1);
    const newestId = async () => Number((await client.line.list({ query: { limit: 1 } })).data[0]?.id);
    const before = await newestId();
    ticks(20);
    expect(await newestId()).toBe(before + 20);
  });

  it('has agents of every state, and rows in each list of the fleet', async () => {
    const { client } = demo();
    const agents = await client.agent.list({ query: { include_deleted: true, _pagesize: 1_000 } });
    expect(new Set(agents.map(({ state }) => state)).size).toBe(5);
    const { enrollment, kernelRule, outage, agentOperation } = client;
    for (const { list } of [enrollment, kernelRule, outage, agentOperation])
      expect((await list({ query: {} })).data.length).toBeGreaterThan(0);
  });
});
