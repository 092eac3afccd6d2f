import { setZone } from '@quarterdeck/views/text';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lineWidth } from '../../theme/lines.ts';
import { axisChart, scaleOf, tickLine } from './axis.ts';

const START = Date.UTC(2026, 10, 22, 10, 30) / 1000;
const HOUR = 3_600;
const textOf = (line: readonly { readonly text: string }[]): string => line.map(({ text }) => text).join('');

beforeEach(() => setZone('utc'));
afterEach(() => setZone('local'));

describe('the scale of a chart', () => {
  it('ends at a round number', () => {
    expect(scaleOf([1, 7, 3])).toEqual({ top: 8, peak: 7 });
    expect(scaleOf([120, 90, 100])).toEqual({ top: 200, peak: 120 });
    expect(scaleOf([])).toEqual({ top: 1, peak: 0 });
  });

  it('leaves a spike above it, so that the other bars stay visible', () => {
    expect(scaleOf([10, 12, 4_526, 9, 11])).toEqual({ top: 20, peak: 4_526 });
    // One bucket of the server fills several columns.
    expect(scaleOf([10, 12, 4_526, 4_526, 4_526, 9, 11]).top).toBe(20);
  });

  it('contains values that are not far above the others, or few', () => {
    expect(scaleOf([10, 12, 40, 9, 11]).top).toBe(40);
    expect(scaleOf([1, 4_000]).top).toBe(4_000);
  });
});

describe('the axes of a chart', () => {
  const buckets = [10, 12, 4_526, 9, 11].map((value) => [{ value, tone: 'bad' as const }]);
  const chart = { buckets, startS: START, endS: START + 5 * HOUR, isNow: false };

  it('have numbers, and a mark above the spike', () => {
    const lines = axisChart(chart, { width: 11, rows: 4, glyphs: 'block' }).map(textOf);
    expect(lines[0]).toBe('   20┤  ▲  ');
    expect(lines[1]).toMatch(/^ {5}│/);
    expect(lines[2]).toBe('    0┤█████');
  });

  it('are exactly as wide and as high as they are given', () => {
    for (const glyphs of ['braille', 'block', 'ascii'] as const)
      for (let width = 8; width < 60; width += 3) {
        const lines = axisChart(chart, { width, rows: 5, glyphs });
        expect(lines).toHaveLength(5);
        for (const line of lines) expect(lineWidth(line)).toBe(width);
      }
  });

  it.each([
    ['hours', 6 * HOUR, '  UTC      ╵11:00      ╵12:00'],
    ['minutes', HOUR / 2, '  UTC ╵10:30     ╵10:35'],
    ['days', 4 * 24 * HOUR, '  UTC          ╵Nov 23'],
    ['midnight', 24 * HOUR, /╵18:00.*╵Nov 23.*╵06:00/],
  ])('have times at round %s, and name the zone', (_, span, expected) => {
    const text = textOf(tickLine(START, START + span, 68, false));
    if (typeof expected === 'string') expect(text.startsWith(expected), text).toBe(true);
    else expect(text).toMatch(expected);
  });

  it('say where the present is', () => {
    expect(textOf(tickLine(START, START + HOUR, 60, true))).toMatch(/now$/);
  });
});
