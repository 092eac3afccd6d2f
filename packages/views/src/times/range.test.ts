import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setZone } from '../text/zone.ts';
import { bucketText, isInRange, rangeBounds, rangePhrase, rangeText, type TimeRange } from './range.ts';

const NOW = Date.UTC(2026, 10, 23, 9, 30, 20);
const at = (iso: string): number => Date.parse(iso) / 1000;
const span = (start: string, end: string): TimeRange => ({ kind: 'span', startS: at(start), endS: at(end) });

beforeEach(() => setZone('utc'));
afterEach(() => setZone('local'));

describe('a range', () => {
  it.each<[TimeRange | null, string]>([
    [null, 'all times'],
    [{ kind: 'last', seconds: 7_200 }, 'last 2h'],
    [{ kind: 'last', seconds: 95_400 }, 'last 1d2h30m'],
    [{ kind: 'since', startS: at('2026-11-23T08:00:00Z') }, 'since 08:00'],
    [span('2026-11-23T08:00:00Z', '2026-11-23T09:02:00Z'), '08:00 – 09:02'],
    [span('2026-11-22T10:00:00Z', '2026-11-22T11:02:00Z'), 'Nov 22 10:00 – 11:02'],
    [span('2026-11-22T23:00:00Z', '2026-11-23T01:00:00Z'), 'Nov 22 23:00 – 01:00'],
    [span('2025-11-22T10:00:00Z', '2025-11-23T11:02:00Z'), '2025-11-22 10:00 – 2025-11-23 11:02'],
    [{ kind: 'span', startS: 0, endS: at('2026-11-23T08:00:00Z') }, 'until 08:00'],
  ])('%o is shown as %s', (range, text) => {
    expect(rangeText(range, NOW)).toBe(text);
  });

  it.each([
    ['2026-11-23T07:20:00Z', 600, '07:20-07:30'],
    ['2026-11-23T23:50:00Z', 600, '23:50-00:00'],
    ['2026-11-22T20:30:00Z', 600, 'Nov 22 20:30-20:40'],
    ['2026-11-22T18:00:00Z', 43_200, 'Nov 22 18:00-06:00'],
    ['2026-11-22T00:00:00Z', 86_400, 'Nov 22'],
    ['2026-11-20T00:00:00Z', 3 * 86_400, 'Nov 20-Nov 22'],
  ])('names the bucket of a chart at %s, %i seconds long', (start, step, text) => {
    expect(bucketText(at(start), at(start) + step, NOW)).toBe(text);
  });

  it('reads as a part of a sentence', () => {
    expect(rangePhrase({ kind: 'last', seconds: 3_600 }, NOW)).toBe('in the last 1h');
    expect(rangePhrase(span('2026-11-22T10:00:00Z', '2026-11-22T11:02:00Z'), NOW)).toBe('from Nov 22 10:00 to 11:02');
  });

  it('has the ends of the server, at whole minutes while it follows the time', () => {
    expect(rangeBounds({ kind: 'last', seconds: 3_600 }, NOW / 1000)).toEqual({
      start_time: at('2026-11-23T08:30:00Z'),
    });
    expect(rangeBounds({ kind: 'since', startS: 7 }, NOW / 1000)).toEqual({ start_time: 7 });
    expect(rangeBounds({ kind: 'span', startS: 7, endS: 9 }, NOW / 1000)).toEqual({ start_time: 7, end_time: 9 });
    expect(rangeBounds({ kind: 'last', seconds: 3e9 }, NOW / 1000)).toEqual({ start_time: 0 });
    expect(rangeBounds(null, NOW / 1000)).toEqual({});
  });

  it('contains its ends', () => {
    const isIn = (momentS: number): boolean => isInRange({ kind: 'span', startS: 7, endS: 9 }, momentS, NOW / 1000);
    expect([6, 7, 9, 10].map(isIn)).toEqual([false, true, true, false]);
    expect(isInRange(null, 1, NOW / 1000)).toBe(true);
    expect(isInRange({ kind: 'last', seconds: 60 }, NOW / 1000, NOW / 1000)).toBe(true);
  });
});
