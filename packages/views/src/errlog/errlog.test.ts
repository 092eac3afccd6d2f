import { expect, it } from 'vitest';
import { entry } from '../../test/rows.ts';
import { type ErrlogFilter, matchesFilter } from './errlog.ts';

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
