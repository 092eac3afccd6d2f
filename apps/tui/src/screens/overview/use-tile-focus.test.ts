import { describe, expect, it } from 'vitest';
import { moveFocus, rowsIn } from './use-tile-focus.ts';

/** Rows of four tiles; two of them open a screen by row. */
const ROWS = [0, 3, 0, 2];
const rowsOf = (tile: number): number => ROWS[tile] ?? 0;

describe('the focus of the overview', () => {
  it('moves through the rows of a tile, then to the next tile, and round', () => {
    const seen: string[] = [];
    let focus = { tile: 0, row: 0 };
    for (let step = 0; step < 8; step += 1) {
      seen.push(`${focus.tile}:${focus.row}`);
      focus = moveFocus(focus, 1, rowsOf, ROWS.length);
    }
    expect(seen).toEqual(['0:0', '1:0', '1:1', '1:2', '2:0', '3:0', '3:1', '0:0']);
  });

  it('moves back to the last row of the tile before', () => {
    expect(moveFocus({ tile: 2, row: 0 }, -1, rowsOf, ROWS.length)).toEqual({ tile: 1, row: 2 });
    expect(moveFocus({ tile: 0, row: 0 }, -1, rowsOf, ROWS.length)).toEqual({ tile: 3, row: 1 });
  });

  it('counts the rows that fit into the frame of a tile', () => {
    const tile = { id: 'a', title: 'A', stale: false, rows: 9, lines: () => [], target: { screen: 'errlog' as const } };
    const place = { column: 0, row: 0, width: 40, height: 5 };
    expect(rowsIn(tile, place)).toBe(0);
    expect(rowsIn({ ...tile, targets: new Array(9).fill(tile.target) }, place)).toBe(3);
  });
});
