import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../../../test/thoroughness.ts';
import { boundFor, chanceOfGreater, tailOfDraw } from './effect-tests.ts';

describe('tailOfDraw', () => {
  it.each([
    [{ all: 8, marked: 4, drawn: 4 }, 4, 1 / 70],
    [{ all: 8, marked: 4, drawn: 4 }, 3, 17 / 70],
    [{ all: 8, marked: 4, drawn: 4 }, 0, 1],
    [{ all: 21, marked: 1, drawn: 1 }, 1, 1 / 21],
    [{ all: 5, marked: 5, drawn: 2 }, 2, 1],
    [{ all: 10, marked: 2, drawn: 9 }, 1, 1],
  ])('of %j with at least %d', (draw, least, p) => {
    expect(tailOfDraw(draw, least)).toBeCloseTo(p, 12);
  });

  it('adds up to 1 with the opposite tail, also for thousands', () => {
    const draw = { all: 10_000, marked: 300, drawn: 700 };
    const exactly21 = tailOfDraw(draw, 21) - tailOfDraw(draw, 22);
    const others = tailOfDraw({ ...draw, drawn: 9_300 }, 279);
    expect(tailOfDraw(draw, 22) + others).toBeCloseTo(1, 9);
    expect(exactly21).toBeGreaterThan(0.05);
  });
});

describe('chanceOfGreater', () => {
  it('sees a new error on all hosts of one side', () => {
    const sides = { own: [3, 1, 1, 2], ownCount: 4, other: [], otherCount: 16 };
    expect(chanceOfGreater(sides).p).toBeCloseTo(1 / 4845, 9);
  });

  it('sees no difference where all hosts have it', () => {
    expect(chanceOfGreater({ own: [3, 1], ownCount: 2, other: [1, 3, 2, 2], otherCount: 4 }).p).toBe(1);
  });

  it('sees a greater rise among rises', () => {
    const sides = { own: [9, 8, 9, 7, 9], ownCount: 5, other: [1, 2, 1, -1, 2], otherCount: 5 };
    // Above the median are all of the one side; above 0 are nine of ten.
    expect(chanceOfGreater(sides).p).toBeCloseTo(2 / 252, 9);
  });

  it('takes a burst on one host as one host', () => {
    expect(chanceOfGreater({ own: [100_000], ownCount: 10, other: [], otherCount: 10 }).p).toBeCloseTo(0.5, 12);
  });

  it('tells the least probability that is possible', () => {
    const { p, least } = chanceOfGreater({ own: [], ownCount: 4, other: [1], otherCount: 4 });
    expect(p).toBeCloseTo(1, 12);
    expect(least).toBeCloseTo(0.5, 12);
  });
});

describe('a fleet with many errors', () => {
  const [OWN, ALL, ERRORS, ROUNDS] = [12, 40, 40, atMost(100, 500)];

  /** Share of rounds in which an error passes, by a generator with a seed. `extra` is the rise of one new error. */
  function passed(extra: number): number {
    let seed = 11;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    // Some errors are on few hosts, some come in large bursts, and some rise everywhere.
    const rises = () => {
      const [share, size, trend] = [random(), random() < 0.2 ? 5_000 : 20, random() < 0.3 ? 0.9 : 0.5];
      return Array.from({ length: ALL }, () => (random() < share ? (random() < trend ? 1 : -1) * random() * size : 0));
    };
    let rounds = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const errors = Array.from({ length: ERRORS }, rises);
      if (extra > 0) errors.push(Array.from({ length: ALL }, (_, host) => (host < OWN ? random() * extra : 0)));
      const tests = errors.map((values) => {
        const [own, other] = [values.slice(0, OWN), values.slice(OWN)];
        return chanceOfGreater({ own, ownCount: OWN, other, otherCount: ALL - OWN });
      });
      const bound = boundFor(tests);
      if (tests.some(({ p }) => p <= bound)) rounds += 1;
    }
    return rounds / ROUNDS;
  }

  it('has an error that passes by chance in at most 3 of 1,000 cases', () => {
    expect(passed(0)).toBeLessThanOrEqual(0.003);
  });

  it('shows a new error on the hosts of a side, however small', () => {
    expect(passed(0.01)).toBe(1);
  });
});

describe('boundFor', () => {
  it('divides by the number of tests that could pass', () => {
    const test = (least: number) => ({ p: 1, least });
    expect(boundFor([])).toBe(0.003);
    expect(boundFor([test(0.001)])).toBe(0.003);
    expect(boundFor([test(0.001), test(0.5), test(0.002)])).toBe(0.0015);
    expect(boundFor(Array.from({ length: 100 }, () => test(1e-9)))).toBeCloseTo(0.00003, 12);
    // Errors on one host cannot pass in a fleet of twenty, so they cost nothing.
    expect(boundFor([test(1e-9), ...Array.from({ length: 500 }, () => test(0.05))])).toBe(0.003);
  });
});
