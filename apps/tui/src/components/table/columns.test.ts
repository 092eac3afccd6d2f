import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitColumns, GAP } from './columns.ts';

describe('the columns', () => {
  it('get their width, and the growing one gets the rest', () => {
    expect(fitColumns([{ width: 8 }, { width: 6 }, { width: 10, grow: 1 }], 80)).toEqual([8, 6, 62]);
  });

  it('share by weight, up to their largest width', () => {
    expect(
      fitColumns(
        [
          { width: 10, grow: 1, max: 15 },
          { width: 10, grow: 1 },
        ],
        62,
      ),
    ).toEqual([15, 45]);
  });

  it('are dropped without room, the highest number first', () => {
    const columns = [{ width: 20 }, { width: 20, drop: 1 }, { width: 20, drop: 2 }];
    expect(fitColumns(columns, 64)).toEqual([20, 20, 20]);
    expect(fitColumns(columns, 63)).toEqual([20, 20, 0]);
    expect(fitColumns(columns, 41)).toEqual([20, 0, 0]);
  });

  it('shrink growing columns before overflowing', () => {
    expect(fitColumns([{ width: 8 }, { width: 24, grow: 1 }], 20)).toEqual([8, 10]);
  });

  it('never exceed the width if the fixed ones fit', () => {
    const column = fc.record(
      {
        width: fc.integer({ min: 1, max: 20 }),
        grow: fc.integer({ min: 0, max: 5 }),
        drop: fc.integer({ min: 1, max: 5 }),
      },
      { requiredKeys: ['width'] },
    );
    fc.assert(
      fc.property(
        fc.array(column, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 250 }),
        (columns, total) => {
          const widths = fitColumns(columns, total);
          const shown = widths.filter((width) => width > 0);
          const must = columns.filter(({ drop }) => drop === undefined);
          const least = must.reduce((sum, { width }) => sum + width, GAP * Math.max(0, must.length - 1));
          const used = shown.reduce((sum, width) => sum + width, GAP * Math.max(0, shown.length - 1));
          expect(used).toBeLessThanOrEqual(Math.max(total, least));
        },
      ),
    );
  });
});
