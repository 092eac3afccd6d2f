import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffDelayMs, clampInterval, reportDelayMs } from '../src/process/timing.ts';
import { changedFacts } from '../src/session.ts';
import { FACTS } from './fake-console.ts';

describe('reportDelayMs', () => {
  it.each<[number, number]>([
    [27_000, 0],
    [30_000, 0.5],
    [32_999, 0.99999],
  ])('is %d ms for a draw of %d', (expected, draw) => {
    expect(reportDelayMs(30, () => draw)).toBeCloseTo(expected, -1);
  });
});

describe('backoffDelayMs', () => {
  it('doubles its limit up to the interval', () => {
    const limits = [1, 2, 3, 4, 5, 6, 7, 1000].map((failures) => backoffDelayMs(failures, 30, () => 1));
    expect(limits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('draws from the whole range above zero', () => {
    expect(backoffDelayMs(5, 30, () => 0.25)).toBe(4_000);
    expect(backoffDelayMs(5, 30, () => 0)).toBe(100);
  });

  it('adds a random wait to Retry-After, so that agents do not return together', () => {
    expect(backoffDelayMs(1, 30, () => 0.5, 20_000)).toBe(20_500);
    expect(backoffDelayMs(1, 30, () => 0.5, 10 ** 12)).toBe(600_500);
  });

  it('always fits a timer', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.integer({ min: 1, max: 3600 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (n, seconds, draw) => {
          const ms = backoffDelayMs(n + 1, seconds, () => draw, 0);
          expect(ms).toBeGreaterThanOrEqual(100);
          expect(ms).toBeLessThanOrEqual(Math.max(100, seconds * 1000));
        },
      ),
    );
  });
});

it.each<[number, number]>([
  [30, 30],
  [1, 0],
  [1, -5],
  [3600, 2 ** 31],
])('takes %d seconds for an interval of %d', (expected, given) => {
  expect(clampInterval(given)).toBe(expected);
});

describe('changedFacts', () => {
  it('returns everything at first, and nothing without a change', () => {
    expect(changedFacts(undefined, FACTS)).toEqual(FACTS);
    expect(changedFacts(FACTS, structuredClone(FACTS))).toEqual({});
  });

  it('returns changed facts, groups as a whole', () => {
    const system_version = { ...FACTS.system_version, kernel: '6.2.0' };
    expect(changedFacts(FACTS, { ...FACTS, ip: '192.0.2.9', system_version })).toEqual({
      ip: '192.0.2.9',
      system_version,
    });
  });
});
