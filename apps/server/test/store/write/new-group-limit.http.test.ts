// New groups of a sender are limited: what comes beyond is joined, counted, and found line by line.
import { beforeAll, describe, expect, it } from 'vitest';
import { NewGroupLimit } from '../../../../../packages/store/src/write/new-group-limit.ts';
import { errlogCalls } from '../../errlog-calls.ts';
import { expectTrueCounters } from '../../errlog-counters.ts';
import { useApi } from '../../start-api.ts';
import { word } from '../../word.ts';

const LIMIT = 10;

const api = useApi({ NEW_GROUPS_PER_MINUTE: String(LIMIT) });
beforeAll(async () => {
  // The start of a minute: all lines come within it.
  api.advance(60_000 - (api.server.deps.now() % 60_000));
});

const { append, list } = errlogCalls(() => api);

const newLines = (n: number, level = 4) => Array.from({ length: n }, () => ({ level, log: `${word()} failed` }));
const groups = async () => (await list({ query: { detail: 1, page_size: 100 } })).data;

it('joins too many different errors of a sender in one group, which says so, until the next minute', async () => {
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

  // Each of those lines is found.
  const params = { id: joined?.id ?? 0 };
  const { data } = await api.admin.errlog.occurrences({ params, query: { page_size: 1_000 } });
  expect(data).toHaveLength(65);
  const line = data[20]?.log ?? '';
  expect((await api.admin.line.list({ query: { q: line } })).data.map(({ log }) => log)).toContain(line);

  api.advance(60_000);
  await append(newLines(3));
  expect(await groups()).toHaveLength(LIMIT + 2 + 3);
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
