import { type ErrlogHistogram, LEVELS } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { lineWidth } from '../../text/lines.ts';
import { endsOf, LAST_DAY, pan, zoom } from './chart-window.ts';
import { axisLine, spreadBuckets } from './errlog-chart.ts';

const levels = (level: number, count: number): number[] => LEVELS.map((_, index) => (index === level ? count : 0));
const HISTOGRAM: ErrlogHistogram = {
  start: 0,
  end: 240,
  step: 60,
  buckets: [
    { time: 0, count: 4, levels: levels(4, 4) },
    { time: 60, count: 0, levels: levels(0, 0) },
    { time: 180, count: 2, levels: levels(5, 2) },
  ],
};

describe('the time of the chart', () => {
  it('gets shorter and longer within its limits', () => {
    expect(zoom(LAST_DAY, -1).spanS).toBe(12 * 3600);
    let window = LAST_DAY;
    for (let n = 0; n < 20; n += 1) window = zoom(window, 1);
    expect(window.spanS).toBe(30 * 86_400);
    for (let n = 0; n < 20; n += 1) window = zoom(window, -1);
    expect(window.spanS).toBe(3600);
  });

  it('moves back, and follows the time at the present', () => {
    const back = pan(LAST_DAY, -2, 1_000_000);
    expect(back.endS).toBe(1_000_000 - 43_200);
    expect(pan(back, 2, 1_000_000)).toEqual(LAST_DAY);
  });

  it('ends at a whole minute while it follows the time', () => {
    expect(endsOf(LAST_DAY, 1_000_001)).toEqual({ startS: 1_000_020 - 86_400, endS: 1_000_020 });
    expect(endsOf({ spanS: 60, endS: 77 }, 1_000)).toEqual({ startS: 17, endS: 77 });
  });
});

describe('the chart', () => {
  it('spreads fewer buckets over more columns, and more over fewer', () => {
    const values = (most: number): number[] =>
      spreadBuckets(HISTOGRAM, most).map((bucket) => bucket.reduce((sum, { value }) => sum + value, 0));
    expect(values(4)).toEqual([4, 0, 0, 2]);
    expect(values(8)).toEqual([4, 4, 0, 0, 0, 0, 2, 2]);
    expect(values(2)).toEqual([4, 2]);
  });

  it('names as many levels below as fit between its ends', () => {
    for (let width = 12; width < 90; width += 1) {
      const line = axisLine(HISTOGRAM, '1d ago', 'now', width);
      expect(lineWidth(line)).toBe(width);
      expect(line.map(({ text }) => text).join('')).toMatch(/^1d ago.*now$/);
    }
  });
});
