import { describe, expect, it } from 'vitest';
import { age, count, distance, fullTime, grouped, isoDay, narrowTime, shortTime } from './format.ts';

const now = new Date(2026, 10, 20, 14, 3, 27).getTime();
const seconds = (...parts: [number, number, number, number, number, number]): number =>
  new Date(...parts).getTime() / 1000;

describe('times', () => {
  it.each([
    ['today', seconds(2026, 10, 20, 9, 5, 7), '09:05:07'],
    ['yesterday', seconds(2026, 10, 19, 23, 59, 59), 'Nov 19 23:59'],
    ['a single-digit day', seconds(2026, 0, 3, 1, 2, 3), 'Jan  3 01:02'],
    ['another year', seconds(2025, 11, 31, 23, 0, 0), '2025-12-31'],
  ])('of %s are short', (_, at, expected) => {
    expect(shortTime(at, now)).toBe(expected);
  });

  it.each([
    [seconds(2026, 10, 20, 9, 5, 7), '09:05:07'],
    [seconds(2026, 10, 19, 23, 59, 59), '19 23:59'],
    [seconds(2026, 9, 3, 1, 2, 3), 'Oct  3'],
    [seconds(2025, 11, 31, 23, 0, 0), '2025-12'],
  ])('are shorter on narrow screens: %i is %s', (at, expected) => {
    expect(narrowTime(at, now)).toBe(expected);
  });

  it('in full are local and sortable', () => {
    expect(fullTime(now)).toBe('2026-11-20 14:03:27');
    expect(isoDay(new Date(now))).toBe('2026-11-20');
    expect(fullTime(Number.MAX_SAFE_INTEGER)).toBe('beyond the calendar');
  });

  it.each([
    [-5, '0s'],
    [0, '0s'],
    [59.9, '59s'],
    [60, '1m'],
    [3599, '59m'],
    [3600, '1h'],
    [86_399, '23h'],
    [86_400, '1d'],
    [86_400 * 400, '400d'],
  ])('%d seconds are %s', (value, expected) => {
    expect(age(value)).toBe(expected);
  });

  it.each([
    [86_400_000 * 90, 'in 90 days'],
    [86_400_000, 'in 24 hours'],
    [60_000, 'in 1 minute'],
    [5_000, 'in 1 minute'],
    [-86_400_000 * 3, '3 days ago'],
  ])('a distance of %d ms is %s', (value, expected) => {
    expect(distance(now + value, now)).toBe(expected);
  });
});

describe('numbers', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1204, '1,204'],
    [1_234_567, '1,234,567'],
  ])('%d grouped is %s', (value, expected) => {
    expect(grouped(value)).toBe(expected);
  });

  it.each([
    [1, '1'],
    [9_999, '9,999'],
    [12_345, '12.3k'],
    [99_999, '99.9k'],
    [123_456, '123k'],
    [999_499, '999k'],
    [999_500, '0.9M'],
    [1_234_567, '1.2M'],
    [2_147_483_647, '2.1G'],
  ])('%d counted is %s, in five columns at most', (value, expected) => {
    expect(count(value)).toBe(expected);
    expect(count(value).length).toBeLessThanOrEqual(5);
  });
});
