import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeTiles } from './overview-layout.ts';

describe('the tiles of the overview', () => {
  it('fill the screen without overlaps', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(30), { minLength: 1, maxLength: 7 }),
        fc.integer({ min: 40, max: 220 }),
        fc.integer({ min: 6, max: 70 }),
        (wants, width, height) => {
          const places = placeTiles(wants, width, height);
          const cells = new Set<string>();
          for (const { column, row, width: wide, height: high } of places) {
            expect(column + wide).toBeLessThanOrEqual(width);
            expect(row + high).toBeLessThanOrEqual(height);
            for (let y = row; y < row + high; y += 1) {
              for (const x of [column, column + wide - 1]) {
                expect(cells.has(`${x},${y}`)).toBe(false);
                cells.add(`${x},${y}`);
              }
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([
    [50, 1],
    [80, 2],
    [200, 3],
  ])('are side by side on %i columns: %i', (width, columns) => {
    const rows = placeTiles([10, 4, 4, 4], width, 50).map(({ row }) => row);
    expect(rows.filter((row) => row === rows[1])).toHaveLength(columns);
  });

  it('leave the chart at most a quarter of the rows', () => {
    expect(placeTiles([12, 8, 8, 8], 200, 56)[0]?.height).toBe(14);
    expect(placeTiles([12, 5, 5, 5, 5], 80, 20)[0]?.height).toBe(6);
  });

  it('leave out tiles without room', () => {
    expect(placeTiles([10, 5, 5, 5, 5], 80, 8)).toHaveLength(1);
    expect(placeTiles([10, 5, 5, 5, 5], 80, 20)).toHaveLength(5);
  });
});
