// Changes of hosts that agents report: each is stored once, at the time at which it happened.

import { describe, expect, it } from 'vitest';
import { agentCalls } from '../../../test/agent-calls.ts';
import { isOf } from '../../../test/event-calls.ts';
import { listenEvents } from '../../../test/listen-events.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';
import { createChangeLimit } from './host-changes.ts';
import { HISTORY_KEPT_MS, trimHistory } from './records/agent-history.repo.ts';

const DAY_S = 86_400;

const api = useSteadyApi();

const { beat } = agentCalls(api);

const change = (seq: number, over: object = {}) => ({
  seq,
  ago: 0,
  kind: 'config',
  field: `/etc/nginx/${seq}.conf`,
  from: 'aa',
  to: 'bb',
  ...over,
});

/** History entries of reported changes, newest first. */
async function entriesOf(id: number) {
  const { data } = await api.admin.agent.events({ params: { id }, query: { page_size: 1000 } });
  return data.filter(({ kind }) => kind !== 'registered' && kind !== 'online');
}

/** Sends changes and returns the number of the last stored one. */
async function report(agent: { id: number; secret: string }, ...changes: object[]): Promise<number> {
  const { status, body } = await beat(agent, { changes });
  expect(status).toBe(200);
  return body.data.changes_stored;
}

describe('a report with changes', () => {
  it('adds them to the history with both values, and names the last stored one', async () => {
    const agent = await api.agent();
    expect(
      await report(agent, change(7), change(8, { kind: 'package', field: 'nginx', from: '1.26', to: '1.28' })),
    ).toBe(8);
    expect(await entriesOf(agent.id)).toMatchObject([
      { kind: 'package', field: 'nginx', from: '1.26', to: '1.28', has_diff: false },
      { kind: 'config', field: '/etc/nginx/7.conf', from: 'aa', to: 'bb', has_diff: false },
    ]);
    const { body } = await beat(agent, {});
    expect(body.data).not.toHaveProperty('changes_stored');
  });

  it('stores a repeated change once, also after a new registration', async () => {
    const agent = await api.agent();
    await report(agent, change(1), change(2));
    expect(await report(agent, change(2), change(3), change(3), change(1))).toBe(3);
    const again = await api.agent(agent.nodeId);
    expect(again.id).toBe(agent.id);
    expect(await report(again, change(3))).toBe(3);
    expect((await entriesOf(agent.id)).map(({ field }) => field)).toEqual(
      [3, 2, 1].map((seq) => `/etc/nginx/${seq}.conf`),
    );
  });

  it('stores the interval in which a change happened while the agent was down', async () => {
    const agent = await api.agent();
    const nowS = Math.floor(api.now() / 1000);
    await report(
      agent,
      change(1, { ago: 60, since_ago: 3600 }),
      change(2, { ago: 60 }),
      change(3, { ago: 60, since_ago: 1 }),
    );
    const intervals = (await entriesOf(agent.id)).map(({ since, time }) =>
      [since, time].map((s) => s && Math.floor(s) - nowS),
    );
    expect(intervals).toEqual([
      [-60, -60],
      [null, -60],
      [-3600, -60],
    ]);
    api.advance(60_000);
    await beat(agent, { kernel: '6.1', started: nowS - 10, system_version: { kernel: '6.1' } });
    api.advance(60_000);
    await beat(agent, { kernel: '6.2', started: nowS + 100, system_version: { kernel: '6.2' } });
    api.advance(10_000);
    await beat(agent, { system_version: { kernel: '6.3' } });
    const kernels = (await entriesOf(agent.id)).filter(({ field }) => field === 'system_version.kernel');
    const reported = kernels.map(({ since, time, to }) => ({ to, seconds: since && Math.round(time - since) }));
    expect(reported.slice(0, 2)).toEqual([
      { to: '6.3', seconds: null },
      { to: '6.2', seconds: 60 },
    ]);
  });

  it('places them at the time at which they happened, never in the future', async () => {
    const agent = await api.agent();
    const beforeS = api.now() / 1000;
    await report(agent, change(1, { ago: 3600 }), change(2), change(3, { ago: 60.5 }), change(4, { ago: 399 * DAY_S }));
    const afterS = api.now() / 1000;
    const entries = await entriesOf(agent.id);
    expect(entries.map(({ field }) => field)).toEqual([2, 3, 1, 4].map((seq) => `/etc/nginx/${seq}.conf`));
    for (const [at, ago] of [0, 60.5, 3600].entries()) {
      expect(entries[at]?.time).toBeGreaterThanOrEqual(beforeS - ago - 0.01);
      expect(entries[at]?.time).toBeLessThanOrEqual(afterS - ago + 0.01);
    }
    // A month before the registration at most.
    expect(entries[3]?.time).toBeGreaterThan(beforeS - 31 * DAY_S);
  });

  it('is an event, and is never collected with the reports without news', async () => {
    const agent = await api.agent();
    await beat(agent, {});
    await using events = await listenEvents(api.admin);
    await report(agent, change(1));
    expect((await events.first(isOf(agent.id))).type).toBe('agent.changed');
    expect(await entriesOf(agent.id)).toHaveLength(1);
  });

  it('is refused where a change breaks the contract, and then nothing is stored', async () => {
    const agent = await api.agent();
    for (const wrong of [
      { kind: 'nonsense' },
      { seq: 0 },
      { ago: -1 },
      { ago: 401 * DAY_S },
      { field: 'x'.repeat(501) },
    ]) {
      expect((await beat(agent, { changes: [change(1), { ...change(2), ...wrong }] })).status).toBe(400);
    }
    const many = Array.from({ length: 101 }, (_, n) => change(n + 1));
    expect((await beat(agent, { changes: many })).status).toBe(400);
    expect(await entriesOf(agent.id)).toEqual([]);
  });

  it('may have 256 KiB of differences, and no body beyond 512 KiB', async () => {
    const agent = await api.agent();
    const diff = '+ é\n'.repeat(16_000);
    const changes = [1, 2, 3].map((seq) => change(seq, { diff }));
    expect(await report(agent, ...changes)).toBe(3);
    const tooMany = [4, 5, 6, 7, 8, 9, 10].map((seq) => change(seq, { diff }));
    expect((await beat(agent, { changes: tooMany })).status).toBe(413);
  });

  it('keeps a flooding agent to its share, without losing a change', async () => {
    const agent = await api.agent();
    const from = (first: number) => Array.from({ length: 100 }, (_, n) => change(first + n));
    expect(await report(agent, ...from(1))).toBe(100);
    expect(await report(agent, ...from(101))).toBe(200);
    expect(await report(agent, ...from(201))).toBe(300);
    const stored = await report(agent, ...from(301));
    expect(stored).toBeLessThan(400);
    expect(await report(await api.agent(), change(1))).toBe(1);
    api.advance(60_000);
    expect(await report(agent, ...from(stored + 1))).toBe(stored + 100);
    expect(await entriesOf(agent.id)).toHaveLength(stored + 100);
  });
});

describe('the limit of changes', () => {
  it('fills again with time, and is not stopped by a clock that is set back', () => {
    const take = createChangeLimit(60);
    expect(take(1, 100, 1_000_000)).toBe(60);
    expect(take(1, 1, 1_000_000)).toBe(0);
    expect(take(1, 100, 1_010_000)).toBe(10);
    expect(take(2, 5, 1_010_000)).toBe(5);
    expect(take(1, 100, 0)).toBe(0);
    expect(take(1, 100, 60_000)).toBe(60);
  });
});

describe('a difference', () => {
  const DIFF = '-listen 80;\n+listen 8080;\n';

  async function withDiff() {
    const agent = await api.agent();
    await report(agent, change(1), change(2, { diff: DIFF }), change(3, { diff: 'another' }));
    const entries = await entriesOf(agent.id);
    const entry = entries.find(({ field }) => field.endsWith('/2.conf'));
    return { agent, entries, event: entry?.id ?? 0 };
  }

  it('is read by who may change agents', async () => {
    const { agent, entries, event } = await withDiff();
    expect(entries.map(({ has_diff }) => has_diff)).toEqual([true, true, false]);
    const params = { id: agent.id, event };
    const operator = await api.person('operator');
    expect(await operator.client.agent.diff({ params })).toEqual({ diff: DIFF });
  });

  it('is not found for an entry without one, or of another agent', async () => {
    const { agent, entries, event } = await withDiff();
    const other = await api.agent();
    const plain = entries.find(({ has_diff }) => !has_diff)?.id ?? 0;
    for (const params of [
      { id: agent.id, event: plain },
      { id: other.id, event },
      { id: agent.id, event: 2 ** 52 },
    ]) {
      await expect(api.admin.agent.diff({ params })).rejects.toMatchObject({ status: 404 });
    }
  });

  it('is removed with its entry by the retention', async () => {
    const { agent } = await withDiff();
    const { db } = api.server.deps;
    const diffsOf = () => db.read.prisma.agentChangeDiff.count({ where: { change: { agentId: agent.id } } });
    expect(await diffsOf()).toBe(2);
    const all = await db.read.prisma.agentChangeDiff.count();
    await trimHistory(db, api.now() + HISTORY_KEPT_MS - DAY_S * 1000, () => false);
    expect(await diffsOf()).toBe(2);
    const ids = (await entriesOf(agent.id)).map(({ id }) => BigInt(id));
    await db.write((tx) =>
      tx.prisma.agentChange.updateMany({
        where: { id: { in: ids } },
        data: { timeMs: BigInt(api.now() - HISTORY_KEPT_MS - 1000) },
      }),
    );
    await trimHistory(db, api.now(), () => false);
    expect(await db.read.prisma.agentChangeDiff.count()).toBe(all - 2);
  });
});
