import { describe, expect, it } from 'vitest';
import { cursorAt, showCursor } from '../../src/terminal/cursor.ts';
import type { Pen } from '../../src/terminal/diff.ts';

const LOOKS = { caret: 1, selected: 2 };
const row = (...styles: number[]) => ({ texts: styles.map(() => 'x'), styles });

describe('the cursor', () => {
  it.each([
    ['at what is selected', [row(0, 0, 0), row(0, 2, 2)], { row: 1, column: 1 }],
    ['in what is typed, before what is selected', [row(2, 2, 0), row(0, 0, 1)], { row: 1, column: 2 }],
    ['at the top where nothing has the keys', [row(0, 0), row(0, 3)], { row: 0, column: 0 }],
  ])('is %s', (_where, rows, position) => {
    expect(cursorAt(rows, LOOKS)).toEqual(position);
  });

  it('moves once', () => {
    const pen: Pen = { style: 0, row: 5, column: 7 };
    expect(showCursor(pen, { row: 1, column: 2 })).toBe('\u001B[2;3H\u001B[?25h');
    expect(showCursor(pen, { row: 1, column: 2 })).toBe('');
  });
});
