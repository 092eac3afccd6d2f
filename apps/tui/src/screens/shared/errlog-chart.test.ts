import { type ErrlogHistogram, LEVELS } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { glyphsOf } from '../../theme/glyphs.ts';
import { lineWidth } from '../../theme/lines.ts';
import { chartRows, fitToData, histogramChart, legendLine, spreadBuckets } from './errlog-chart.ts';

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
  meta: { complete: true },
};

describe('the chart', () => {
  it('spreads fewer buckets over more columns, and more over fewer', () => {
    const values = (most: number): number[] =>
      spreadBuckets(HISTOGRAM, most).map((bucket) => bucket.reduce((sum, { value }) => sum + value, 0));
    expect(values(4)).toEqual([4, 0, 0, 2]);
    expect(values(8)).toEqual([4, 4, 0, 0, 0, 0, 2, 2]);
    expect(values(2)).toEqual([4, 2]);
  });

  it('names as many levels below as fit beside its peak', () => {
    for (let width = 12; width < 90; width += 1) expect(lineWidth(legendLine(HISTOGRAM, width, 0))).toBe(width);
    const text = legendLine(HISTOGRAM, 90, 0)
      .map((run) => run.text)
      .join('');
    expect(text).toMatch(/■ ERROR 4 +▲ WARN 2 .*peak 4, \d\d:\d\d-\d\d:\d\d$/);
  });

  it('has the span of its highest bar beside its count at every width', () => {
    const glyphs = glyphsOf({ ascii: false, charts: 'block' });
    const isFull = HISTOGRAM.buckets.map((bucket) => ({ ...bucket, count: 4, levels: levels(4, 4) }));
    for (let width = 30; width < 220; width += 9)
      for (const rows of [3, 4, 5, 8])
        for (const buckets of [HISTOGRAM.buckets, isFull]) {
          const lines = histogramChart(
            { ...HISTOGRAM, buckets },
            { width, rows, glyphs, isNow: true, fits: false, nowMs: 0 },
          );
          const texts = lines.map((line) => line.map((run) => run.text).join(''));
          expect(texts.filter((text) => /(?<!\d)4, \d\d:\d\d-\d\d:\d\d/.test(text))).toHaveLength(1);
          expect(lines.map(lineWidth)).toEqual(lines.map(() => width));
        }
  });

  it('tells its peak in itself where it has no legend', () => {
    const glyphs = glyphsOf({ ascii: false, charts: 'block' });
    const lines = histogramChart(HISTOGRAM, { width: 70, rows: 4, glyphs, isNow: false, fits: false, nowMs: 0 });
    expect(lines.map(lineWidth)).toEqual([70, 70, 70, 70]);
    expect(lines[0]?.map((run) => run.text).join('')).toMatch(/┤█+ +peak 4, \d\d:\d\d-\d\d:\d\d +$/);
  });

  it('takes three rows, and at most a quarter of them once somebody asks for more', () => {
    for (const height of [18, 20, 30, 56]) {
      expect(chartRows(height, 'low', false)).toBe(3);
      expect(chartRows(height, 'high', false)).toBeLessThanOrEqual((height + 4) / 4);
    }
    expect(chartRows(56, 'low', true)).toBe(3);
    expect(chartRows(56, 'closed', false)).toBe(0);
    expect(chartRows(17, 'low', false)).toBe(0);
  });

  it('begins where its data does, but never shows less than an eighth of its time', () => {
    const bucketAt = (time: number) => ({ time, count: 1, levels: levels(4, 1) });
    const startOf = (time: number): number =>
      fitToData({ ...HISTOGRAM, end: 86_400, step: 300, buckets: [bucketAt(time)] }).start;
    expect(startOf(3_600)).toBe(0);
    expect(startOf(64_800)).toBe(64_500);
    expect(startOf(86_100)).toBe(75_600);
    expect(fitToData({ ...HISTOGRAM, buckets: [] }).start).toBe(0);
  });
});
