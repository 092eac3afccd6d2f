import { describe, expect, it } from 'vitest';
import { findRises, type GroupMinute, risesAround, withRises } from './rises.ts';
import { findSpikes } from './spikes.ts';

const FROM = 29_000_000;
const LAST = FROM + 199;

/** Rows of a group from its counts by the minute. */
const rowsOf = (id: number, counts: readonly number[]): GroupMinute[] =>
  counts.flatMap((n, i) => (n === 0 ? [] : [{ id, minute: FROM + i, n }]));
const flat = (n: number, count: number): number[] => new Array(n).fill(count);
const risesOf = (counts: readonly number[]) =>
  findRises(rowsOf(1, counts), [FROM + counts.findIndex((n) => n > 0)], FROM, LAST).rises.map(
    ({ minute }) => minute - FROM,
  );

describe('findRises', () => {
  it.each<[name: string, counts: number[], expected: number[]]>([
    ['a group that begins with three a minute', [...flat(100, 0), ...flat(10, 3)], [100]],
    ['a group that always happens', flat(150, 3), []],
    ['four times as often', [...flat(100, 3), ...flat(10, 12)], [100]],
    ['twice as often', [...flat(100, 3), ...flat(10, 6)], []],
    ['single occurrences', [...flat(100, 0), 1, ...flat(20, 0), 1], []],
    ['before anything can be usual', [...flat(59, 0), ...flat(20, 9)], [60]],
    ['two rises with a calm time between them', [...flat(80, 0), 9, ...flat(40, 0), 9], [80, 121]],
    ['one rise with gaps', [...flat(80, 0), 9, ...flat(12, 0), 9, ...flat(12, 0), 9], [80]],
  ])('finds: %s', (_, counts, expected) => {
    expect(risesOf(counts)).toEqual(expected);
  });

  it('keeps groups apart, and adds up the occurrences of the risen ones', () => {
    const rows = [
      ...rowsOf(4, flat(120, 1)),
      ...rowsOf(7, [...flat(110, 0), 3, 3, 3]),
      ...rowsOf(9, [...flat(111, 0), 5, 5, 5]),
    ];
    const { rises, counts } = findRises(rows, [FROM, FROM + 110, FROM + 111], FROM, LAST);
    expect(rises).toEqual([
      { id: 7, minute: FROM + 110 },
      { id: 9, minute: FROM + 111 },
    ]);
    expect(counts.slice(109, 115)).toEqual([0, 3, 8, 8, 5, 0]);
  });
});

describe('the start on a source', () => {
  const spread = Array.from({ length: 120 }, (_, i) => [FROM + i, FROM + i]).flat();
  const risesWith = (begins: readonly number[]) =>
    findRises(rowsOf(1, [...flat(100, 0), ...flat(10, 5)]), begins, FROM, LAST).rises.length;

  it('is a rise where it is one of many at once, and none while the error spreads', () => {
    expect(risesWith(spread)).toBe(0);
    expect(risesWith([...spread, ...flat(20, FROM + 101)])).toBe(1);
    expect(risesWith([FROM, FROM + 100])).toBe(1);
  });
});

describe('withRises', () => {
  /** A tenth of 400 hosts goes from nothing to three a minute; the others have one in a minute. */
  const hosts = Array.from({ length: 400 }, (_, i) => (i < 40 ? [...flat(100, 0), ...flat(20, 3)] : flat(120, 1)));
  const sums = flat(120, 0).map((_, minute) => hosts.reduce((sum, counts) => sum + (counts[minute] ?? 0), 0));
  const rises = findRises(
    hosts.flatMap((counts, i) => rowsOf(i, counts)),
    hosts.map((counts) => FROM + counts.findIndex((n) => n > 0)),
    FROM,
    LAST,
  );

  it('finds a spike on few hosts that the sum does not show', () => {
    expect(findSpikes(sums, FROM)).toEqual([]);
    expect(withRises([], sums, rises, FROM)).toEqual([{ minute: FROM + 100, count: 480, usual: 360 }]);
    expect(risesAround(rises.rises, FROM + 100).size).toBe(40);
  });

  it('finds a spike on hosts that rise one after the other, and none in a few occurrences', () => {
    const rolling = (hostCount: number) => {
      const rows = Array.from({ length: hostCount }, (_, i) => rowsOf(i, [...flat(100 + 3 * i, 0), 3, 3]));
      const begins = rows.map(([row]) => row?.minute ?? 0);
      return withRises([], flat(200, 0), findRises(rows.flat(), begins, FROM, LAST), FROM);
    };
    expect(rolling(3)).toMatchObject([{ minute: FROM + 100 }]);
    expect(rolling(1)).toEqual([]);
  });

  it('leaves a spike of the sum alone', () => {
    const spike = { minute: FROM + 98, count: 2_000, usual: 360 };
    expect(withRises([spike], sums, rises, FROM)).toEqual([spike]);
  });
});

describe('risesAround', () => {
  it('takes the first rise of each group near the start', () => {
    const rises = [10, 80, 90, 200].map((minute) => ({ id: 1, minute }));
    expect([...risesAround(rises, 85)]).toEqual([[1, 80]]);
    expect(risesAround(rises, 140).size).toBe(0);
  });
});
