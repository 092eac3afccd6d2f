import { expect, it } from 'vitest';
import { startFor } from './loaded-part.ts';

it.each<[from: number, to: number, start: number, next: number]>([
  [0, 10, 0, 0],
  [340, 350, 0, 0],
  [345, 360, 0, 200],
  [200, 210, 200, 100],
  [300, 310, 200, 200],
  [9_990, 10_000, 0, 9_800],
  [0, 10, 9_800, 0],
])('rows %d to %d, with rows loaded from %d, are loaded from %d', (from, to, start, next) => {
  expect(startFor(from, to, start)).toBe(next);
});
