// Batches of many new groups: they are stored some at a time, and each must get what is its own. Kept counts are true
// whatever happens.
import { ERRLOG_STATES } from '@quarterdeck/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../../test/thoroughness.ts';
import { errlogCalls } from '../../errlog-calls.ts';
import { expectTrueCounters } from '../../errlog-counters.ts';
import { optional } from '../../errlog-queries.ts';
import { useApi } from '../../start-api.ts';
import { type GroupLine, storeGroups } from '../../stored-groups.ts';
import { word } from '../../word.ts';

const DAY_S = 86_400;

const api = useApi({ ERRLOG_DAYS: '0', OCCURRENCE_DAYS: '0' });

const { list, listOf, newApp, nowS } = errlogCalls(() => api);
const append = (lines: readonly GroupLine[]) => storeGroups(api.server.deps.db, lines, api.now());

const newLines = (n: number, app_id: number): GroupLine[] =>
  Array.from({ length: n }, () => ({ level: 4, log: word(), app_id }));

describe('a batch of new groups', () => {
  it.each([1, 20, 21, 65])('keeps the order, the texts and the occurrences of %i', async (n) => {
    const app_id = newApp();
    const lines = newLines(n, app_id);
    await append(lines);
    const groups = (await list({ query: { app_id, page_size: 100 } })).data.sort((a, b) => a.id - b.id);
    expect(groups.map(({ log }) => log)).toEqual(lines.map(({ log }) => log));
    for (const { id, log } of groups.slice(-3)) {
      const { data } = await api.admin.errlog.occurrences({ params: { id } });
      expect(data.map((occurrence) => occurrence.log)).toEqual([log]);
    }
  });

  it('counts an error of several sources once, among new and known ones', async () => {
    const app_id = newApp();
    const known = newLines(3, app_id);
    await append(known);
    const lines = [...newLines(12, app_id), ...known, ...newLines(12, app_id)];
    const nodes = [1, 2, 3].flatMap((node_id) => lines.map((line) => ({ ...line, node_id })));
    // One behind the other, and side by side; and once more, when all are known.
    await append(nodes.toSorted((a, b) => (a.log < b.log ? -1 : 1)));
    await append([...newLines(5, app_id), ...nodes, ...newLines(5, app_id)]);
    expect(await listOf(app_id)).toHaveLength(20);
    const { meta } = await list({ query: { app_id, page_size: 0 } });
    expect(meta.count).toBe(3 + 3 * 27 + 10);
    const { meta: kinds } = await list({ query: { app_id, rollup: true, page_size: 0 } });
    expect(kinds.count).toBe(27 + 10);
    await expectTrueCounters(api.server.deps.db, { whole: false });
  });
});

it('keeps true counts through lines of any time, changes of states and jobs', async () => {
  const names = Array.from({ length: 5 }, word);
  const app_id = newApp();
  const now = nowS();
  const line = fc.record({
    log: fc.constantFrom(...names).map((name) => `${name} 1`),
    level: fc.nat(1),
    app_id: fc.constant(app_id),
    log_time: fc.oneof(fc.nat(100_000), fc.integer({ min: now - 5 * DAY_S, max: now + 120 })),
    req_id: optional(fc.constantFrom('one', 'two, three')),
    node_id: optional(fc.constantFrom(81, 82)),
    count: fc.integer({ min: 1, max: 9 }),
  });
  const change = fc.record({
    state: fc.constantFrom(...ERRLOG_STATES),
    until: fc.constantFrom('5x', '20x/1h', '1h', 'forever'),
    level: fc.nat(1),
  });
  const step = fc.oneof(
    { arbitrary: fc.array(line, { minLength: 1, maxLength: 30 }), weight: 3 },
    { arbitrary: change, weight: 2 },
    { arbitrary: fc.constant('jobs' as const), weight: 1 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
      for (const what of steps) {
        if (what === 'jobs') await api.server.jobs.runAll();
        else if (Array.isArray(what)) await append(what);
        else {
          const { state, until, level } = what;
          const filter = { app_id, level };
          await api.admin.errlog.bulk({ body: { filter, state, ...(state === 'muted' ? { until } : {}) } });
        }
      }
      await expectTrueCounters(api.server.deps.db, { whole: false });
    }),
    { numRuns: atMost(2, 8) },
  );
});
