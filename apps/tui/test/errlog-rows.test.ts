import { createClient } from '@quarterdeck/sdk';
import { allErrlog, type ErrlogFilter, listErrlog, setMatchingState } from '@quarterdeck/views/errlog';
import { describe, expect, it } from 'vitest';
import { createDemo } from '../src/demo/demo-server.ts';

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
