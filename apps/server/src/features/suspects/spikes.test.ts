import { describe, expect, it } from 'vitest';
import { findSpikes } from './spikes.ts';

const flat = (n: number, count: number): number[] => new Array(n).fill(count);
const FROM = 29_000_000;
/** The minutes, from the first one, at which spikes begin. */
const begins = (counts: readonly number[]) => findSpikes(counts, FROM).map(({ minute }) => minute - FROM);
/** Between `low` and `high`, without a pattern. */
const noise = (n: number, low: number, high: number) =>
  Array.from({ length: n }, (_, i) => low + ((i * 7919 + 31 * i * i) % (high - low + 1)));

describe('findSpikes', () => {
  it.each<[name: string, counts: number[], expected: number[]]>([
    ['nothing at all', [], []],
    ['an error that happens all the time', flat(500, 30), []],
    ['an error that never happened before', [...flat(60, 0), 10], [60]],
    ['fewer than ten', [...flat(200, 0), 9], []],
    ['before anything can be usual', [...flat(59, 1), 500], []],
    ['ten times as often', [...flat(100, 5), ...flat(5, 50)], [100]],
    ['less than four times as often', [...flat(100, 5), ...flat(5, 19)], []],
    ['four times as often', [...flat(100, 5), ...flat(5, 20)], [100]],
    ['noise', noise(600, 0, 40), []],
    ['far above noise', [...noise(200, 0, 40), 300], [200]],
    ['one spike with gaps', [...flat(100, 2), 50, ...flat(14, 2), 50, ...flat(14, 2), 50], [100]],
    ['two spikes, a quarter of an hour apart', [...flat(100, 2), 50, ...flat(15, 2), 50], [100, 116]],
    ['two of the same height', [...flat(100, 2), ...flat(30, 90), ...flat(40, 2), ...flat(30, 90)], [100, 170]],
    ['a level that stays', [...flat(100, 2), ...flat(600, 90)], [100]],
    ['a spike above a level that has stayed', [...flat(100, 2), ...flat(300, 90), 900], [100, 400]],
    ['the end of a level', [...flat(100, 90), ...flat(300, 2)], []],
  ])('finds: %s', (_, counts, expected) => {
    expect(begins(counts)).toEqual(expected);
  });

  it('tells what it was and what is usual', () => {
    expect(findSpikes([...flat(100, 3), 77], FROM)).toEqual([{ minute: FROM + 100, count: 77, usual: 3 }]);
    const two = [...flat(100, 0).map((_, i) => (i % 2 === 0 ? 1 : 2)), 40];
    expect(findSpikes(two, FROM)).toEqual([{ minute: FROM + 100, count: 40, usual: 1.5 }]);
  });
});
