import { describe, expect, it } from 'vitest';
import { evidenceOfCounts, evidenceOfDelay } from './evidence.ts';

describe('evidenceOfCounts', () => {
  const evidence = (ill: number, ofIll: number, well: number, ofWell: number) =>
    evidenceOfCounts({ affected: { with: ill, of: ofIll }, unaffected: { with: well, of: ofWell } });

  it('is the logarithm of a ratio of beta functions', () => {
    // As a cause 9/10, and not on the other 1/2; if not a cause, on the first of two 1/6.
    expect(evidence(1, 1, 0, 1)).toBeCloseTo(Math.log((0.9 * 0.5) / (1 / 6)), 6);
  });

  it('grows with the share of the affected, falls with that of the others, and few agents prove little', () => {
    expect(evidence(40, 40, 0, 960)).toBeGreaterThan(evidence(38, 40, 0, 960));
    expect(evidence(38, 40, 2, 960)).toBeGreaterThan(evidence(38, 40, 20, 960));
    expect(evidence(40, 40, 0, 960)).toBeGreaterThan(evidence(1, 1, 0, 999));
    expect(evidence(1, 40, 0, 960)).toBeLessThan(0);
  });

  it('takes what everybody did for neither', () => {
    expect(Math.abs(evidence(5, 5, 15, 15))).toBeLessThan(0.5);
  });

  it('does not grow without bounds', () => {
    expect(evidence(5_000, 5_000, 0, 5_000)).toBeCloseTo(evidence(40, 40, 0, 400), 6);
  });
});

describe('evidenceOfDelay', () => {
  it('is for the change in the first minutes, and against it later', () => {
    expect(evidenceOfDelay(0, 3_600)).toBeGreaterThan(evidenceOfDelay(120, 3_600));
    expect(evidenceOfDelay(120, 3_600)).toBeGreaterThan(0);
    expect(evidenceOfDelay(3_000, 3_600)).toBeLessThan(0);
  });

  it('compares two distributions: over the whole window their ratio is 1 on average', () => {
    const steps = Array.from({ length: 36_000 }, (_, i) => Math.exp(evidenceOfDelay((i + 0.5) / 10, 3_600)));
    expect(steps.reduce((sum, one) => sum + one, 0) / steps.length).toBeCloseTo(1, 3);
  });
});
