import { describe, expect, it } from 'vitest';
import { levelFilterText, stepLevel } from './levels.ts';

describe('the level filter', () => {
  it('goes round from the worst to all', () => {
    const steps = [null as number | null];
    for (let step = 0; step < 6; step += 1) steps.push(stepLevel(steps.at(-1) ?? null, 1));
    expect(steps.map(levelFilterText)).toEqual([
      undefined,
      'CRIT or worse',
      'ERROR or worse',
      'WARN or worse',
      'NOTICE or worse',
      'INFO or worse',
      undefined,
    ]);
    expect(stepLevel(null, -1)).toBe(7);
  });
});
