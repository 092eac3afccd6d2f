import { describe, expect, it } from 'vitest';
import { stepLevel } from './levels.ts';

describe('the level filter', () => {
  it('goes from the worst to all levels, and stops at both ends', () => {
    const steps: (number | undefined)[] = [3];
    for (let step = 0; step < 6; step += 1) steps.push(stepLevel(steps.at(-1), 1));
    expect(steps).toEqual([3, 4, 5, 6, 7, undefined, undefined]);
    expect(stepLevel(undefined, -1)).toBe(7);
    expect(stepLevel(3, -1)).toBe(3);
  });
});
