import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { width } from '../../text/width.ts';
import type { ChartGlyphs } from '../../theme/glyphs.ts';
import { lineWidth } from '../../theme/lines.ts';
import { rebucket } from './alphabet.ts';
import { bar, barLines, stackedBar } from './bars.ts';
import { bucketsIn, histogramLines } from './histogram.ts';
import { sparkline } from './sparkline.ts';

const ALPHABETS: readonly ChartGlyphs[] = ['braille', 'block', 'ascii'];
const values = fc.array(fc.nat(100_000), { maxLength: 300 });

describe('charts', () => {
  it('keep sums in fewer buckets', () => {
    expect(rebucket([1, 2, 3, 4], 2)).toEqual([3, 7]);
    expect(rebucket([], 3)).toEqual([0, 0, 0]);
  });

  it.each([
    ['block', [0, 1, 8], '▁█'],
    ['ascii', [0, 4, 8], '=@'],
    ['braille', [0, 4, 4, 4], '⢸⣿'],
  ] as const)('draw a sparkline in %s', (alphabet, shown, end) => {
    expect(sparkline(shown, alphabet === 'braille' ? 2 : 3, alphabet).endsWith(end)).toBe(true);
  });

  it.each(nonEmpty(ALPHABETS))('have exactly the width they are given in %s', (alphabet) => {
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 80 }), (numbers, columns) => {
        expect(width(sparkline(numbers, columns, alphabet))).toBe(columns);
        const buckets = rebucket(numbers, bucketsIn(columns, alphabet)).map((value) => [
          { value, tone: 'bad' as const },
        ]);
        for (const line of histogramLines(buckets, { columns, rows: 3, alphabet }))
          expect(lineWidth(line)).toBe(columns);
      }),
    );
  });

  it('show any value above 0', () => {
    const buckets = [100_000, 1, 0].map((value) => [{ value, tone: 'bad' as const }]);
    const last = histogramLines(buckets, { columns: 3, rows: 4, alphabet: 'block' })
      .at(-1)
      ?.map(({ text }) => text)
      .join('');
    expect(last).toBe('█▁ ');
    expect(bar(1, 100_000, 10)).toBe('╸');
    expect(bar(0, 10, 10)).toBe('');
  });

  it('stack parts from the bottom', () => {
    const bucket = [
      { value: 3, tone: 'bad' as const },
      { value: 1, tone: 'warning' as const },
    ];
    const tones = histogramLines([bucket], { columns: 1, rows: 4, alphabet: 'block' }).map((line) => line[0]?.tone);
    expect(tones).toEqual(['warning', 'bad', 'bad', 'bad']);
  });

  it('align bars, and fill stacked bars', () => {
    const bars = [
      { label: 'a long name', value: 10, text: '10' },
      { label: 'b', value: 0, text: '0' },
    ];
    for (const columns of [20, 40, 80])
      for (const line of barLines(bars, columns)) expect(lineWidth(line)).toBeLessThanOrEqual(columns);
    fc.assert(
      fc.property(
        fc.array(fc.nat(1000), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 8, max: 60 }),
        (parts, columns) => {
          const line = stackedBar(
            parts.map((value) => ({ value, tone: 'good' as const })),
            columns,
          );
          expect(lineWidth(line)).toBe(columns);
          expect(line).toHaveLength(Math.max(1, parts.filter((value) => value > 0).length));
        },
      ),
      { examples: [[[13, 1, 1, 1], 8]] },
    );
  });
});
