import { describe, expect, it } from 'vitest';
import type { ErrlogFilter } from './errlog.ts';
import { chooseFacet, sortFilter, toggleRollup } from './filter-changes.ts';

it.each<[ErrlogFilter, string, string, ErrlogFilter]>([
  [{}, 'level', '5', { level: 5 }],
  [{ level: 5 }, 'level', '5', {}],
  [{ level: 5 }, 'level', '4', { level: 4 }],
  // One level, and no longer that one or worse.
  [{ level_max: 4, q: 'x' }, 'level', '5', { level: 5, q: 'x' }],
  [{}, 'source', '7', { src: 7 }],
  [{}, 'service', 'nginx', { service: 'nginx' }],
  [{ service: 'nginx' }, 'service', 'nginx', {}],
  [{ src: 7 }, 'source', '7', {}],
  [{ src: 7 }, 'app', '12', { src: 7, app_id: 12 }],
  [{}, 'state', 'new', { state: 'new' }],
  [{ state: 'new' }, 'state', 'muted', { state: 'new,muted' }],
  [{ state: 'new,muted' }, 'state', 'new', { state: 'muted' }],
  [{ state: 'new' }, 'state', 'new', {}],
])('toggles in %j the facet %s %s', (filter, facet, key, expected) => {
  expect(chooseFacet(filter, facet, key)).toEqual(expected);
});

describe('an order', () => {
  it.each<[ErrlogFilter, string, ErrlogFilter | null]>([
    [{}, 'level', { sort: 'level' }],
    [{ sort: 'level' }, 'level', { sort: '-level' }],
    [{ sort: 'level' }, 'source', { sort: 'source' }],
    [{}, 'time', { sort: 'log_time' }],
    [{ sort: 'log_time' }, 'time', {}],
    [{ rollup: true }, 'level', null],
    [{ rollup: true }, 'time', { rollup: true }],
    [{ rollup: true }, 'count', { rollup: true, sort: '-count' }],
    [{}, 'message', null],
  ])('of %j by %s', (filter, column, expected) => {
    expect(sortFilter(filter, column)).toEqual(expected);
  });

  it('ends where rows of several sources do not have it', () => {
    expect(toggleRollup({ sort: 'source' })).toEqual({ rollup: true });
    expect(toggleRollup({ sort: 'count' })).toEqual({ rollup: true, sort: 'count' });
    expect(toggleRollup({ rollup: true, sort: 'count' })).toEqual({ sort: 'count' });
  });
});
