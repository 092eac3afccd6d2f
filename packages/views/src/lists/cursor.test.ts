import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AT_TOP, anchorCursor, type Cursor, locateCursor, moveBy, moveTo } from './cursor.ts';

const ids = (count: number): number[] => Array.from({ length: count }, (_, index) => 100 + index);

describe('the selection', () => {
  it('has index -1 in an empty list', () => {
    expect(locateCursor(AT_TOP, [], 10)).toEqual({ index: -1, offset: 0 });
    expect(moveBy(AT_TOP, [], 10, 1)).toEqual(AT_TOP);
  });

  it('moves the window only when it comes near an edge', () => {
    let cursor = moveBy(AT_TOP, ids(50), 10, 5);
    expect(locateCursor(cursor, ids(50), 10)).toEqual({ index: 5, offset: 0 });
    cursor = moveBy(cursor, ids(50), 10, 3);
    expect(locateCursor(cursor, ids(50), 10)).toEqual({ index: 8, offset: 1 });
    cursor = moveBy(cursor, ids(50), 10, -3);
    expect(locateCursor(cursor, ids(50), 10)).toEqual({ index: 5, offset: 1 });
    cursor = moveTo(cursor, ids(50), 10, Number.MAX_SAFE_INTEGER);
    expect(locateCursor(cursor, ids(50), 10)).toEqual({ index: 49, offset: 40 });
  });

  it('stays on its row and on its line when rows come above', () => {
    const cursor = moveBy(AT_TOP, ids(50), 10, 20);
    const { offset } = locateCursor(cursor, ids(50), 10);
    const after = [1, 2, 3, ...ids(50)];
    expect(locateCursor(cursor, after, 10)).toEqual({ index: 23, offset: offset + 3 });
  });

  it('moves to the neighbour of a removed row', () => {
    const cursor = moveBy(AT_TOP, ids(5), 10, 4);
    expect(locateCursor(cursor, ids(4), 10).index).toBe(3);
    const middle = moveBy(AT_TOP, ids(5), 10, 2);
    expect(locateCursor(middle, [100, 101, 103, 104], 10).index).toBe(2);
  });

  it('stays on the first row once it is anchored', () => {
    const cursor = anchorCursor(AT_TOP, ids(5), 10);
    expect(locateCursor(AT_TOP, [1, ...ids(5)], 10).index).toBe(0);
    expect(locateCursor(cursor, [1, ...ids(5)], 10).index).toBe(1);
  });

  it('is always visible after changes of the list and the screen', () => {
    const action = fc.oneof(
      fc.record({ by: fc.integer({ min: -60, max: 60 }) }),
      fc.record({ to: fc.integer({ min: 0, max: 200 }) }),
      fc.record({ count: fc.integer({ min: 1, max: 80 }) }),
      fc.record({ height: fc.integer({ min: 1, max: 40 }) }),
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
        let cursor: Cursor = AT_TOP;
        let rows = ids(30);
        let height = 10;
        for (const step of actions) {
          if ('by' in step) cursor = moveBy(cursor, rows, height, step.by);
          if ('to' in step) cursor = moveTo(cursor, rows, height, step.to);
          if ('count' in step) rows = ids(step.count);
          if ('height' in step) height = step.height;
          const { index, offset } = locateCursor(cursor, rows, height);
          expect(index).toBeGreaterThanOrEqual(offset);
          expect(index).toBeLessThan(Math.min(offset + height, rows.length));
          expect(offset).toBeLessThanOrEqual(Math.max(0, rows.length - height));
        }
      }),
    );
  });
});
