import { expect, it } from 'vitest';
import { idRanges } from './agent.admin.ts';

it.each([
  [[], ''],
  [[7], '7'],
  [[3, 1, 2], '1-3'],
  [[1, 3, 4, 9], '1,3-4,9'],
  [[10, 9, 2], '2,9-10'],
])('%j is %s', (ids, text) => {
  expect(idRanges(ids)).toBe(text);
});
