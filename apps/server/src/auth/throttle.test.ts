import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ACCOUNT, ADDRESS, type Budget, countAttempt, SECOND_FACTOR, type Tally } from './throttle.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const EMPTY: Tally = { failures: 0, sinceMs: 0, blockedUntilMs: 0 };

/** When attempts are let through, of those that are made at these times. */
function allowed(budget: Budget, timesMs: Iterable<number>): number[] {
  const made: number[] = [];
  let tally = EMPTY;
  for (const timeMs of timesMs) {
    if (tally.blockedUntilMs > timeMs) continue;
    tally = countAttempt(budget, tally, timeMs);
    made.push(timeMs);
  }
  return made;
}

/** The most that fall into any stretch of this length, both ends included. */
function densest(timesMs: readonly number[], lengthMs: number): number {
  return Math.max(
    0,
    ...timesMs.map((from) => timesMs.filter((timeMs) => timeMs >= from && timeMs <= from + lengthMs).length),
  );
}

function* everySecond(lengthMs: number, startMs = 1_000_000_000): Generator<number> {
  for (let ms = 0; ms <= lengthMs; ms += 1_000) {
    // A script does not wait for the next second.
    for (let i = 0; i < 6; i += 1) yield startMs + ms;
  }
}

describe('the budget of an account', () => {
  it('lets five through, then one after 1, 2, 4, 8, 15, 15, ... minutes', () => {
    const times = allowed(ACCOUNT, everySecond(2 * HOUR_MS));
    const minutes = times.map((timeMs) => (timeMs - 1_000_000_000) / MINUTE_MS);
    expect(minutes).toEqual([0, 0, 0, 0, 0, 1, 3, 7, 15, 30, 45, 60, 75, 90, 105, 120]);
  });

  it('lets at most 12 through in any hour, however they are spread', () => {
    expect(densest(allowed(ACCOUNT, everySecond(24 * HOUR_MS)), HOUR_MS)).toBe(12);
    const gap = fc.oneof(
      fc.constantFrom(0, 1, MINUTE_MS, 15 * MINUTE_MS, HOUR_MS - 1, HOUR_MS, HOUR_MS + 1),
      fc.nat(70 * MINUTE_MS),
      fc.nat(5_000),
    );
    fc.assert(
      fc.property(fc.array(gap, { maxLength: 200 }), (gaps) => {
        let timeMs = 1_000_000_000;
        const times = gaps.map((gapMs) => {
          timeMs += gapMs;
          return timeMs;
        });
        expect(densest(allowed(ACCOUNT, times), HOUR_MS)).toBeLessThanOrEqual(12);
      }),
      { numRuns: 1_000 },
    );
  });

  it('restarts after a quiet hour', () => {
    const first = [0, 0, 0, 0, 0].map((ms) => ms + 1);
    expect(allowed(ACCOUNT, [...first, ...first.map((ms) => ms + HOUR_MS)])).toHaveLength(10);
  });
});

describe.each([
  ['a network', ADDRESS, 20],
  ['a second factor', SECOND_FACTOR, 5],
] as const)('the budget of %s', (_, budget, most) => {
  it(`lets ${most} through in any 15 minutes, and goes on`, () => {
    const times = allowed(budget, everySecond(2 * HOUR_MS));
    // Both ends of a stretch of exactly 15 minutes belong to it, so it is a millisecond less.
    expect(densest(times, 15 * MINUTE_MS - 1)).toBe(most);
    expect(times.length).toBeGreaterThan(most * 7);
  });
});
