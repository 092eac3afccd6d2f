import { describe, expect, it } from 'vitest';
import { bytesText, countText, durationText, timeText } from './words.ts';

describe('the words of an alert', () => {
  it.each([
    [0, '0 s'],
    [-5, '0 s'],
    [400, '0 s'],
    [59_600, '1 min'],
    [200_000, '3 min 20 s'],
    [3_600_000, '1 h'],
    [3_601_000, '1 h'],
    [93_600_000, '1 d 2 h'],
  ])('say %i ms as %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });

  it('say times in UTC, sizes and numbers', () => {
    expect(timeText(Date.UTC(2026, 0, 31, 9, 5, 59))).toBe('2026-01-31 09:05 UTC');
    expect([1, 536_870_912, 1.5 * 2 ** 30].map(bytesText)).toEqual(['0 MiB', '512 MiB', '1.5 GiB']);
    expect([countText(1, 'line'), countText(12_345, 'line')]).toEqual(['1 line', '12,345 lines']);
  });
});
