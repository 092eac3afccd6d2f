import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SEGMENT_BYTES, SEGMENT_LINES } from '../segments/segment.ts';
import { findMerge, segmentBytesWithin, takeRun } from './packing-plan.ts';
import type { SegmentHead } from './segment-table.ts';

const head = fc.record({
  n: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: SEGMENT_LINES })),
  day: fc.constantFrom(1, 1, 1, 2),
  packed: fc.constantFrom(1, 1, 1, 1, 0),
  partition: fc.constantFrom(1, 1, 1, 2),
});
const heads = fc.array(head, { maxLength: 60 }).map((list) => {
  let id = 1;
  return list
    .sort((a, b) => a.day - b.day || a.partition - b.partition)
    .map((one): SegmentHead => {
      id += one.n;
      return { ...one, id: id - one.n, bytes: one.n * 100 };
    });
});

describe('segments that are packed together', () => {
  it('are neighbours of one day and partition that fit into one', () => {
    fc.assert(
      fc.property(heads, (list) => {
        const { heads: taken } = takeRun(list);
        expect(taken).toEqual(list.slice(0, taken.length));
        if (list.length > 0) expect(taken.length).toBeGreaterThan(0);
        expect(new Set(taken.map(({ day, partition }) => `${day} ${partition}`)).size).toBeLessThanOrEqual(1);
        if (taken.length < 2) return;
        expect(taken.reduce((sum, { n }) => sum + n, 0)).toBeLessThanOrEqual(SEGMENT_LINES);
        expect(taken.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(SEGMENT_BYTES);
      }),
    );
  });

  it('wait until one is full', () => {
    const of = (n: number, day = 1): SegmentHead => ({ id: 1, n, bytes: n, day, packed: 0, partition: 1 });
    expect(takeRun([of(60_000), of(5_000)])).toMatchObject({ isFull: false });
    expect(takeRun([of(60_000), of(6_000)])).toMatchObject({ isFull: true, heads: [{ n: 60_000 }] });
    expect(takeRun([of(10), of(10, 2)])).toMatchObject({ isFull: true, heads: [{ n: 10 }] });
    expect(takeRun([{ ...of(1), bytes: 2 * SEGMENT_BYTES }])).toMatchObject({ isFull: true });
    const small = segmentBytesWithin(10_000_000);
    expect([segmentBytesWithin(0), small]).toEqual([SEGMENT_BYTES, 625_000]);
    const half = { ...of(1), bytes: small / 2 };
    expect(takeRun([half, half, half], small)).toMatchObject({ isFull: true, heads: [half, half] });
  });
});

describe('small segments', () => {
  /** Adds one segment a minute and merges as the packer does. Returns the segments and how often a line was packed. */
  function live(sizes: readonly number[]) {
    const list: SegmentHead[] = [];
    let [id, rewritten] = [1, 0];
    for (const n of sizes) {
      list.push({ id, n, bytes: n * 100, day: 1, packed: 1, partition: 1 });
      id += n;
      for (let found = findMerge(list); found !== undefined; found = findMerge(list)) {
        const merged = found.reduce((sum, one) => sum + one.n, 0);
        rewritten += merged;
        const first = found[0] as SegmentHead;
        list.splice(list.indexOf(first), found.length, { ...first, n: merged, bytes: merged * 100 });
      }
    }
    return { list, perLine: rewritten / (id - 1) };
  }

  it.each([
    ['alike', Array.from({ length: 1_440 }, () => 10)],
    ['by turns', Array.from({ length: 1_440 }, (_, i) => (i % 2 === 0 ? 10 : 300))],
    ['with some large', Array.from({ length: 1_440 }, (_, i) => (i % 9 === 0 ? 20_000 : 10))],
  ])('of a day become few, and no line is packed often: %s', (_, sizes) => {
    const { list, perLine } = live(sizes);
    const lines = sizes.reduce((a, b) => a + b, 0);
    expect(list.length).toBeLessThan(40 + (lines / SEGMENT_LINES) * 9 * 4);
    expect(perLine).toBeLessThan(6);
    expect(list.reduce((sum, { n }) => sum + n, 0)).toBe(lines);
  });

  it('merge only with packed neighbours of their day', () => {
    const rarely = <T>(usual: T, other: T) => fc.constantFrom(...Array<T>(30).fill(usual), other);
    const small = fc.record({ n: fc.integer({ min: 1, max: 20 }), day: rarely(1, 2), packed: rarely(1, 0) });
    let merges = 0;
    fc.assert(
      fc.property(fc.array(small, { minLength: 20, maxLength: 60 }), (sizes) => {
        const list = sizes.map((one, i): SegmentHead => ({ ...one, id: 1 + i * 20, bytes: one.n, partition: 1 }));
        const found = findMerge(list);
        if (found === undefined) return;
        merges += 1;
        const from = list.findIndex(({ id }) => id === found[0]?.id);
        expect(found).toEqual(list.slice(from, from + found.length));
        expect(found.length).toBeGreaterThanOrEqual(8);
        expect(found.every(({ packed, day }) => packed === 1 && day === found[0]?.day)).toBe(true);
      }),
    );
    expect(merges).toBeGreaterThan(10);
  });
});
