import { describe, expect, it } from 'vitest';
import { silencesOf, usuallySends } from './usually-sends.ts';

const DAY = 1440;
const every = (step: number, from: number, to: number) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);

describe('usuallySends', () => {
  it('accepts a sender without pauses longer than the time of the rule', () => {
    expect(usuallySends(every(5, 0, 300), 15, [])).toBe(true);
    expect(usuallySends(every(20, 0, 600), 15, [])).toBe(false);
  });

  it('rejects a sender that is new, or sends seldom', () => {
    expect(usuallySends(every(1, 0, 50), 15, [])).toBe(false);
    expect(usuallySends(every(14, 0, 100), 15, [])).toBe(false);
    expect(usuallySends([], 15, [])).toBe(false);
  });

  it('accepts one long pause, not one of each night', () => {
    const day = every(5, 0, 900);
    expect(usuallySends([...day, ...every(5, DAY, DAY + 900)], 15, [])).toBe(true);
    expect(usuallySends([...day, ...every(5, DAY, DAY + 900), ...every(5, 2 * DAY, 2 * DAY + 900)], 15, [])).toBe(
      false,
    );
  });

  it('does not count pauses in which no server listened', () => {
    const minutes = [...every(5, 0, 100), ...every(5, 200, 300), ...every(5, 400, 500)];
    expect(usuallySends(minutes, 15, [])).toBe(false);
    expect(usuallySends(minutes, 15, [{ from: 110, to: 190 }])).toBe(true);
  });

  it('judges a day of silence by a day of lines', () => {
    expect(usuallySends(every(60, 0, 2 * DAY), DAY, [])).toBe(true);
  });
});

describe('silencesOf', () => {
  it('finds a silence that has ended and one that lasts', () => {
    const minutes = [...every(5, 0, 300), ...every(5, 350, 600)];
    expect(silencesOf(minutes, { from: 200, to: 700 }, 15, [])).toEqual([
      { since: 315, until: 350 },
      { since: 615, until: null },
    ]);
  });
});
