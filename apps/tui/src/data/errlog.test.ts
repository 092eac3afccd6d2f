import { createClient } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { createDemo } from '../demo/demo-server.ts';
import { allErrlog, type ErrlogFilter, listErrlog } from './errlog.ts';

const demo = createDemo({ everyMs: 0 });
const client = createClient({ url: 'http://demo', fetch: demo.fetch });
const { signal } = new AbortController();

describe('all rows of the error log', () => {
  it.each<ErrlogFilter>([
    {},
    { level_max: 4, sort: 'log_time' },
    { q: 'timed out', sort: '-count' },
    { state: 'new,ongoing', sort: 'first_seen' },
    { rollup: true },
  ])('are those of the list, in its order: %j', async (filter) => {
    const { data, meta } = await listErrlog(client, filter, { start: 0, end: 10_000 }, signal);
    expect(data).toHaveLength(meta.count);
    expect(data.length).toBeGreaterThan(0);
    expect(await allErrlog(client, filter)).toEqual(data);
  });
});
