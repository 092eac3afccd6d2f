import { createClient } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { entry } from '../../test/fake-server.ts';
import { createDemo } from '../demo/demo-server.ts';
import { allErrlog, type ErrlogFilter, listErrlog, matchesFilter, setMatchingState } from './errlog.ts';

const demo = createDemo({ everyMs: 0 });
const client = createClient({ url: 'http://demo', fetch: demo.fetch });
const { signal } = new AbortController();

describe('all rows of the error log', () => {
  it.each<ErrlogFilter>([
    {},
    { level_max: 4, sort: 'log_time' },
    { q: 'timed out', sort: '-count' },
    { filter: 'level:>=error (timed OR /refused/)' },
    { state: 'new,ongoing', sort: 'first_seen' },
    { rollup: true },
  ])('are those of the list, in its order: %j', async (filter) => {
    const { data, meta } = await listErrlog(client, filter, { start: 0, end: 10_000 }, signal);
    expect(data).toHaveLength(meta.count);
    expect(data.length).toBeGreaterThan(0);
    expect(await allErrlog(client, filter)).toEqual(data);
  });
});

it.each<ErrlogFilter>([
  { state: 'new,ongoing' },
  { level_max: 3 },
  { req_id: 'none-has-it' },
  { src: 1, q: 'timed out' },
  { filter: '"timed out" -/redis|upstream t/' },
])('a change of all that match is about what the list shows: %j', async (filter) => {
  const { meta } = await listErrlog(client, filter, { start: 0, end: 1 }, signal);
  const { matched, done } = await setMatchingState(client, filter, { state: 'resolved', dry_run: true });
  expect([matched, done]).toEqual([meta.count, 0]);
});

it.each<[ErrlogFilter, ReturnType<typeof matchesFilter>]>([
  [{}, 'yes'],
  [{ level_max: 4, state: 'new,ongoing' }, 'yes'],
  [{ level_max: 3 }, 'no'],
  [{ state: 'resolved' }, 'no'],
  // Only the server knows these.
  [{ rollup: true }, 'unknown'],
  [{ req_id: 'a' }, 'unknown'],
  [{ sort: '-count' }, 'unknown'],
  [{ rollup: true, level_max: 3 }, 'no'],
  [{ filter: 'number level:error' }, 'yes'],
  [{ filter: 'number', sort: '-count' }, 'unknown'],
  [{ filter: 'absent' }, 'no'],
  [{ filter: 'client:10.9.8.7' }, 'unknown'],
  [{ filter: 'since:2h' }, 'unknown'],
])('what the stream tells passes the filter %j: %s', (filter, expected) => {
  expect(matchesFilter(entry(1, { level: 4, state: 'new' }), filter)).toBe(expected);
});

it('is not known to miss an error of several lines by its newest line', () => {
  expect(matchesFilter(entry(1, { count: 2 }), { filter: 'absent' })).toBe('unknown');
});
