// New groups of a sender are limited: what comes beyond is joined, counted, and found line by line.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errlogCalls } from '../../../test/errlog-calls.ts';
import { expectTrueCounters } from '../../../test/errlog-counters.ts';
import { startApi, type TestApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';
import { NewGroupLimit } from './new-group-limit.ts';

const LIMIT = 10;

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ NEW_GROUPS_PER_MINUTE: String(LIMIT) });
  // The first line of the minute: all others come within it.
  api.advance(60_000 - (api.server.deps.now() % 60_000));
});
afterAll(() => api[Symbol.asyncDispose]());

const { append, list } = errlogCalls(() => api);

const newLines = (n: number, level = 4) => Array.from({ length: n }, () => ({ level, log: `${word()} failed` }));
const groups = async () => (await list({ query: { detail: 1, page_size: 100 } })).data;

describe('a sender of too many different errors', () => {
  it('fills one group of its source and level, which says so', async () => {
    const lines = newLines(LIMIT + 30);
    await append(lines);
    const all = await groups();
    expect(all).toHaveLength(LIMIT + 1);
    const joined = all.find(({ count }) => count > 1);
    expect(joined).toMatchObject({ count: 30, level: 4, log: expect.stringContaining('Too many different errors') });
    await append([...newLines(5), ...newLines(7, 3), ...lines]);
    expect((await groups()).map(({ count }) => count).sort((a, b) => b - a)).toEqual([
      ...[65, 7],
      ...Array<number>(LIMIT).fill(2),
    ]);
    await expectTrueCounters(api.server.deps.db);
  });

  it('has each of those lines found', async () => {
    const [known] = (await groups()).filter(({ count }) => count > 10);
    const { data } = await api.admin.errlog.occurrences({
      params: { id: known?.id ?? 0 },
      query: { page_size: 1_000 },
    });
    expect(data).toHaveLength(65);
    const line = data[20]?.log ?? '';
    expect((await api.admin.line.list({ query: { q: line } })).data.map(({ log }) => log)).toContain(line);
  });

  it('may open groups again in the next minute', async () => {
    api.advance(60_000);
    const before = (await groups()).length;
    await append(newLines(3));
    expect(await groups()).toHaveLength(before + 3);
  });
});

describe('NewGroupLimit', () => {
  it('counts each sender for itself, and what a transaction took only once it is durable', () => {
    const limit = new NewGroupLimit(2);
    const first = limit.open(60_000);
    expect([first.take('a'), first.take('a'), first.take('a'), first.take('b')]).toEqual([true, true, false, true]);
    // The transaction runs again from the start.
    const again = limit.open(60_001);
    expect([again.take('a'), again.take('a'), again.take('a')]).toEqual([true, true, false]);
    again.commit();
    expect(limit.open(119_999).take('a')).toBe(false);
    expect(limit.open(120_000).take('a')).toBe(true);
  });
});
