// The test over time, on generated minutes of a change of few hosts.
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../../../test/thoroughness.ts';
import { chanceOverTime } from './effect-times.ts';

const ROUNDS = atMost(200, 1_000);
const SPAN = { from: 0, beforeEnd: 60, afterStart: 60, to: 90, stepMinutes: 1, passed: 30, wholeTo: 90 };

/** Random numbers from 0 to 1, the same ones for each seed. */
function generator(seed: number) {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Occurrences in each minute; `rate` is the probability of some in a minute, which are up to `burst`. */
function minutes(random: () => number, rate: (minute: number) => number, burst: number) {
  return Array.from({ length: 90 }, (_, minute) => {
    const n = random() < rate(minute) ? 1 + Math.floor(random() * burst) : 0;
    return { minute, n, groups: Math.min(1, n) };
  }).filter(({ n }) => n > 0);
}

type Rate = (minute: number) => number;

/** Share of rounds in which the test sees a change. */
function detected(own: Rate, others: Rate, burst: number, direction: 'rise' | 'fall' = 'rise'): number {
  const random = generator(7);
  let found = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const series = { own: minutes(random, own, burst), others: minutes(random, others, burst) };
    const counts = { own: 2, others: 2 };
    if (chanceOverTime({ ...series, counts, span: SPAN, direction }, 1) !== undefined) found += 1;
  }
  return found / ROUNDS;
}

const steady = () => 0.3;
const step = (before: number, after: number) => (minute: number) => (minute < 60 ? before : after);

describe('chanceOverTime', () => {
  it.each([1, 10, 500])('sees a change by chance in at most 1 of 100 cases, with bursts of up to %d', (burst) => {
    expect(detected(steady, steady, burst)).toBeLessThanOrEqual(0.01);
    expect(detected(steady, steady, burst, 'fall')).toBeLessThanOrEqual(0.01);
  });

  it.each([1, 10, 500])('seldom sees one where all hosts change, with bursts of up to %d', (burst) => {
    expect(detected(step(0, 0.5), step(0, 0.5), burst)).toBeLessThanOrEqual(0.05);
    expect(detected(step(0.1, 0.6), step(0.1, 0.6), burst)).toBeLessThanOrEqual(0.05);
    expect(detected(step(0.6, 0.1), step(0.6, 0.1), burst, 'fall')).toBeLessThanOrEqual(0.01);
  });

  it.each([1, 10, 500])('sees a new error in most cases, with bursts of up to %d', (burst) => {
    expect(detected(step(0, 0.6), () => 0, burst)).toBeGreaterThan(0.9);
    expect(detected(step(0, 0.6), () => 0, burst, 'fall')).toBe(0);
  });

  it('counts the minute of the change as after it, and the minute at the end not at all', () => {
    const chanceOf = (...at: number[]) => {
      const own = at.map((minute) => ({ minute, n: 1, groups: 1 }));
      const series = { own, others: [], counts: { own: 2, others: 0 }, span: SPAN };
      return chanceOverTime({ ...series, direction: 'rise' }, 1);
    };
    expect(chanceOf(60, 61, 62, 63, 64, 65, 66)).toBeLessThan(0.001);
    expect(chanceOf(60, 61, 62, 63, 64, 65, 66)).toBe(chanceOf(70, 71, 72, 73, 74, 75, 76));
    expect(chanceOf(70, 71, 72, 73, 74, 75, 76, 90)).toBe(chanceOf(70, 71, 72, 73, 74, 75, 76));
  });
});
