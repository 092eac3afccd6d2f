import { expect, it } from 'vitest';
import type { ErrlogFilter } from './errlog.ts';
import { chooseFacet } from './filter-changes.ts';

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
