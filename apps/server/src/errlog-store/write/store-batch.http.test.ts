// Batches of many new groups: they are stored some at a time, and each must get what is its own.
import type { ErrlogLine } from '@quarterdeck/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errlogCalls } from '../../../test/errlog-calls.ts';
import { expectTrueCounters } from '../../../test/errlog-counters.ts';
import { startApi, type TestApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const { append, list, listOf, newApp } = errlogCalls(() => api);

const newLines = (n: number, app_id: number): ErrlogLine[] =>
  Array.from({ length: n }, () => ({ level: 4, log: word(), app_id }));

describe('a batch of new groups', () => {
  it.each([1, 19, 20, 21, 65])('keeps the order, the texts and the occurrences of %i', async (n) => {
    const app_id = newApp();
    const lines = newLines(n, app_id);
    await append(lines);
    const groups = (await list({ query: { app_id, page_size: 100 } })).data.sort((a, b) => a.id - b.id);
    expect(groups.map(({ log }) => log)).toEqual(lines.map(({ log }) => log));
    for (const { id, log } of groups) {
      const { data } = await api.admin.errlog.occurrences({ params: { id } });
      expect(data.map((occurrence) => occurrence.log)).toEqual([log]);
    }
  });

  it('counts an error of several sources once, among new and known ones', async () => {
    const app_id = newApp();
    const known = newLines(3, app_id);
    await append(known);
    const lines = [...newLines(12, app_id), ...known, ...newLines(12, app_id)];
    const nodes = [1, 2, 3].flatMap((node_id) => lines.map((line) => ({ ...line, node_type: 1, node_id })));
    // One behind the other, and side by side; and once more, when all are known.
    await append(nodes.toSorted((a, b) => (a.log < b.log ? -1 : 1)));
    await append([...newLines(5, app_id), ...nodes, ...newLines(5, app_id)]);
    expect(await listOf(app_id)).toHaveLength(20);
    const { meta } = await list({ query: { app_id, page_size: 0 } });
    expect(meta.count).toBe(3 + 3 * 27 + 10);
    const { meta: kinds } = await list({ query: { app_id, rollup: true, page_size: 0 } });
    expect(kinds.count).toBe(27 + 10);
    await expectTrueCounters(api.server.deps.db);
  });
});
