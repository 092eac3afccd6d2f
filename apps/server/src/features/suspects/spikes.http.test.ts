// Changes before an error became more frequent, and the number of rows read for them.

import { EventLoopYield } from '@quarterdeck/core/threads';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addHistory, MadeError, manyHosts } from '../../../test/fleet.ts';
import { removeFleet, useSteadyApi } from '../../../test/steady-api.ts';
import { readHistory } from './change-history.repo.ts';
import { mergeSpans } from './spans.ts';

const HOUR_S = 3_600;
const MINUTE_S = 60;

const api = useSteadyApi();
/** A whole minute, hours ago. */
let T = 0;
beforeAll(async () => {
  T = Math.floor(api.now() / 60_000) * MINUTE_S - 3 * HOUR_S;
});

const db = () => api.server.deps.db;
// Agents of other tests would be unaffected ones.
beforeEach(() => removeFleet(api));
const everyMinute = (from: number, minutes: number, times = 1) =>
  Array.from({ length: minutes * times }, (_, i) => from + Math.floor(i / times) * MINUTE_S);

describe('a window of a spike', () => {
  it('is about the agents on which the error became more frequent', async () => {
    const start = T - 3 * HOUR_S;
    const fleet = await manyHosts(db(), 12, start - 100 * HOUR_S);
    const [hot, steady] = [fleet.slice(0, 4), fleet.slice(4, 9)];
    const error = new MadeError(db());
    const usual = everyMinute(start, 300);
    await error.onAgents(steady, usual);
    const [id = 0] = await error.onAgents(hot, [...usual, ...everyMinute(T, 10, 20)]);
    await addHistory(db(), hot, T - 300, { kind: 'changed', field: 'package.version', before: '7', after: '8' });
    await addHistory(db(), fleet, T - 600, { kind: 'restarted' });
    await addHistory(db(), hot, T - 2 * HOUR_S, { kind: 'settings', field: 'autorun_tools', after: 'true' });

    const { windows, complete } = await api.admin.errlog.changes({ params: { id } });
    expect(windows.map(({ kind, time }) => [kind, time])).toEqual([
      ['spike', T],
      ['first_seen', start],
    ]);
    expect(windows[0]).toMatchObject({
      from: T - HOUR_S,
      count: 4 * 21 + 5,
      usual: 9,
      affected: 4,
      unaffected: 8,
      unknown: 0,
      changes: [
        {
          kind: 'changed',
          field: 'package.version',
          affected: { with: 4, of: 4 },
          unaffected: { with: 0, of: 8 },
          before: 300,
        },
        { kind: 'restarted', affected: { with: 4, of: 4 }, unaffected: { with: 8, of: 8 } },
      ],
    });
    expect(windows[0]?.changes).toHaveLength(2);
    expect(windows[1]).toMatchObject({ count: 9, affected: 9, unaffected: 3, changes: [] });
    expect(complete).toBe(true);
  });

  it('is found on few of many hosts, each from its own begin', async () => {
    const fleet = await manyHosts(db(), 40, T - 100 * HOUR_S);
    const [hot, steady] = [fleet.slice(0, 4), fleet.slice(4)];
    const error = new MadeError(db());
    let id = 0;
    await error.onAgents(steady, everyMinute(T - 2 * HOUR_S, 150));
    for (const [i, agent] of hot.entries()) {
      const begin = T + i * 3 * MINUTE_S;
      id = await error.onAgent(agent, everyMinute(begin, 10, 4));
      await addHistory(db(), [agent], begin - 20, { kind: 'package', field: 'openssl', before: '3.0', after: '3.1' });
    }
    const { windows } = await api.admin.errlog.changes({ params: { id } });
    expect(windows.map(({ kind }) => kind)).toEqual(['spike', 'first_seen']);
    expect(windows[0]).toMatchObject({ affected: 4, usual: 36, unaffected: expect.any(Number) });
    expect(windows[0]?.changes).toMatchObject([
      { kind: 'package', field: 'openssl', affected: { with: 4, of: 4 }, before: 20 },
    ]);
  });

  it('is not there where minutes are not kept any more', async () => {
    const [agent = 0] = await manyHosts(db(), 1, T - 900 * HOUR_S);
    const past = T - 100 * HOUR_S;
    const id = await new MadeError(db()).onAgent(agent, [
      ...everyMinute(past, 120),
      ...everyMinute(past + 120 * MINUTE_S, 3, 90),
    ]);
    const { windows } = await api.admin.errlog.changes({ params: { id } });
    expect(windows.map(({ kind }) => kind)).toEqual(['first_seen']);
  });
});

describe('readHistory', () => {
  const spans = (agents: readonly number[]) =>
    agents.map((atMs, agent) => ({ agent, fromMs: atMs - 1000, atMs, toMs: atMs + 1, reportedMs: atMs + 1 }));

  it('reads in every span, each line once, however many there are', async () => {
    const before = (T - 5_000 * HOUR_S) * 1000;
    const [agent = 0] = await manyHosts(db(), 1, 0);
    for (let i = 0; i < 3; i += 1) {
      // More than one statement reads, and more than one line of an agent at one time.
      const many = Array.from({ length: 1_100 }, () => agent);
      await addHistory(db(), many, before / 1000 + i * HOUR_S, { kind: 'restarted' });
    }
    const all = [...spans([before, before + HOUR_S * 1000]), ...spans([before + 500])];
    const { lines, complete, covers } = await readHistory(db(), mergeSpans(all), 10_000, new EventLoopYield());
    expect([lines.size, complete]).toEqual([2_200, true]);
    expect(all.every(covers)).toBe(true);
  });

  it('leaves out the spans of few agents where there is not room for all', async () => {
    const before = (T - 9_000 * HOUR_S) * 1000;
    const [agent = 0] = await manyHosts(db(), 1, 0);
    const many = Array.from({ length: 100 }, () => agent);
    for (let i = 0; i < 2; i += 1) await addHistory(db(), many, before / 1000 + i * HOUR_S, { kind: 'restarted' });
    const [one, two] = [spans([before]), spans([before + HOUR_S * 1000, before + HOUR_S * 1000])];
    const read = await readHistory(db(), mergeSpans([...one, ...two]), 150, new EventLoopYield());
    expect(read.complete).toBe(false);
    expect([...one, ...two].map(read.covers)).toEqual([false, true, true]);
    // There is not room for the first one either: what is nearest to the error is read.
    const little = await readHistory(db(), mergeSpans(two), 50, new EventLoopYield());
    expect([little.lines.size, little.complete, two.every(little.covers)]).toEqual([50, false, true]);
  });
});
