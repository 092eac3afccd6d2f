import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { magnitudeOf } from './group-state.ts';

describe('magnitudeOf', () => {
  it('is the count itself below 16, and never falls as the count grows', () => {
    for (let count = 0; count < 16; count += 1) expect(magnitudeOf(count)).toBe(count);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER - 1 }), (count) => {
        expect(magnitudeOf(count + 1)).toBeGreaterThanOrEqual(magnitudeOf(count));
      }),
    );
  });

  it('has eight steps to a doubling, at exact borders', () => {
    for (let power = 3; power < 53; power += 1) expect(magnitudeOf(2 ** power)).toBe(8 * (power - 2));
    for (let power = 3; power < 40; power += 1) expect(magnitudeOf(2 ** power - 1)).toBe(8 * (power - 2) - 1);
  });

  it('stays below what the order by count begins with', () => {
    expect(magnitudeOf(Number.MAX_SAFE_INTEGER)).toBeLessThan(1_000_000);
  });
});
