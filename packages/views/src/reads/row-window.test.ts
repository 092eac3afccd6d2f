import { describe, expect, it } from 'vitest';
import { joinBlock, lengthAfter, neededBlock } from './row-window.ts';

const ids = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);
const join = (have: { rows: number[]; start: number }, block: { rows: number[]; start: number }, max?: number) =>
  joinBlock(have, block, (id) => id, max);

describe('the block that a view needs', () => {
  const loaded = { start: 0, end: 100, length: 100_000 };

  it('is none while a screen around the view is loaded', () => {
    expect(neededBlock(loaded, { offset: 0, height: 20 })).toBeNull();
    expect(neededBlock(loaded, { offset: 60, height: 20 })).toBeNull();
    expect(neededBlock({ start: 0, end: 30, length: 30 }, { offset: 10, height: 20 })).toBeNull();
    expect(neededBlock({ start: 0, end: 0, length: 0 }, { offset: 0, height: 20 })).toBeNull();
  });

  it('is the next one near the end, and the one before near the start', () => {
    expect(neededBlock(loaded, { offset: 61, height: 20 })).toEqual({ from: 100, to: 200 });
    const deep = { start: 500, end: 700, length: 100_000 };
    expect(neededBlock(deep, { offset: 510, height: 20 })).toEqual({ from: 400, to: 500 });
    expect(neededBlock({ ...deep, start: 40 }, { offset: 50, height: 20 })).toEqual({ from: 0, to: 40 });
  });

  it('is one block at the end of the list, whatever its length', () => {
    expect(neededBlock(loaded, { offset: 99_980, height: 20 })).toEqual({ from: 99_900, to: 100_000 });
    const { from, to } = neededBlock({ ...loaded, length: 4_526 }, { offset: 4_470, height: 56 }) ?? { from: 0, to: 0 };
    expect([from <= 4_414, to]).toEqual([true, 4_526]);
  });

  it('stays the same while a key is held', () => {
    const first = neededBlock(loaded, { offset: 5_020, height: 20 });
    expect(neededBlock(loaded, { offset: 5_080, height: 20 })).toEqual(first);
  });
});

describe('the length of a list', () => {
  it('is the count of the server, up to the end that an answer shows', () => {
    expect(lengthAfter(2_000, { from: 0, to: 200 }, 199, 10_000)).toBe(2_000);
    expect(lengthAfter(2_000, { from: 1_995, to: 2_000 }, 0, 10_000)).toBe(1_995);
    expect(lengthAfter(2_000, { from: 0, to: 10_000 }, 1_990, 10_000)).toBe(1_990);
    expect(lengthAfter(34_000, { from: 0, to: 10_000 }, 10_000, 10_000)).toBe(34_000);
    expect(lengthAfter(0, { from: 0, to: 200 }, 0, 10_000)).toBe(0);
  });
});

describe('a block', () => {
  it('is added after, before and over the loaded rows', () => {
    const have = { rows: ids(10, 20), start: 10 };
    expect(join(have, { rows: ids(20, 25), start: 20 })).toEqual({ rows: ids(10, 25), start: 10 });
    expect(join(have, { rows: ids(5, 10), start: 5 })).toEqual({ rows: ids(5, 20), start: 5 });
    expect(join(have, { rows: ids(12, 15), start: 12 })).toEqual({ rows: ids(10, 20), start: 10 });
  });

  it('replaces rows that it does not touch', () => {
    const block = { rows: ids(90, 99), start: 90 };
    expect(join({ rows: ids(0, 20), start: 0 }, block)).toEqual(block);
  });

  it('never holds a row twice, also when rows have changed places', () => {
    const { rows } = join({ rows: ids(0, 10), start: 0 }, { rows: [3, 10, 11], start: 10 });
    expect(new Set(rows).size).toBe(rows.length);
    expect(rows).toContain(3);
  });

  it('drops the farthest rows beyond the maximum', () => {
    const have = { rows: ids(0, 1_000), start: 0 };
    const after = join(have, { rows: ids(1_000, 1_100), start: 1_000 });
    expect([after.start, after.rows.length, after.rows[0]]).toEqual([100, 1_000, 100]);
    const before = join({ rows: ids(100, 1_100), start: 100 }, { rows: ids(0, 100), start: 0 });
    expect([before.start, before.rows.length, before.rows.at(-1)]).toEqual([0, 1_000, 999]);
  });
});
