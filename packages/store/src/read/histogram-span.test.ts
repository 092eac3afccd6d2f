import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { histogramSpan } from './histogram-span.ts';

const NOW_S = 1_800_000_123;
const DAY_S = 86_400;
const bucketsOf = ({ start, end, step }: ReturnType<typeof histogramSpan>) => (end - start) / step;

describe('histogramSpan', () => {
  it('is the last day unless there are bounds', () => {
    const span = histogramSpan({ from: 0, to: Infinity }, 60, NOW_S);
    expect(span.step).toBe(1_800);
    expect(span.end).toBeGreaterThan(NOW_S);
    expect(NOW_S - span.start).toBeGreaterThanOrEqual(DAY_S - 1);
    expect(histogramSpan({ from: 0, to: 1_000_000 }, 60, NOW_S)).toMatchObject({ start: 912_600, end: 1_000_800 });
    expect(histogramSpan({ from: 1_799_999_100, to: Infinity }, 60, NOW_S).step).toBe(30);
  });

  it('has one bucket where it is empty', () => {
    expect(histogramSpan({ from: 500, to: 400 }, 60, NOW_S)).toEqual({ start: 500, end: 501, step: 1 });
  });

  it('contains its bounds in at most the wanted number of buckets, which begin at round times', () => {
    const time = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(time, fc.nat(DAY_S * 4_000), fc.integer({ min: 1, max: 1500 }), (from, length, buckets) => {
        const to = from + length;
        const span = histogramSpan({ from, to }, buckets, NOW_S);
        expect(bucketsOf(span)).toBeLessThanOrEqual(buckets);
        expect(bucketsOf(span)).toBeGreaterThan(0);
        expect(Number.isSafeInteger(span.end)).toBe(true);
        expect([span.start % span.step, span.end % span.step]).toEqual([0, 0]);
        const last = Math.min(to, 8_640_000_000_000);
        expect(span.start).toBeLessThanOrEqual(Math.min(from, last));
        expect(span.end).toBeGreaterThan(last);
      }),
    );
  });
});
