import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMute } from './mute.ts';
import { MuteUntil } from './mute-until.ts';

const UNITS = { m: 60, h: 3_600, d: 86_400, w: 604_800 };
const unit = fc.constantFrom('m', 'h', 'd', 'w');

describe('parseMute', () => {
  it.each([
    ['forever', { kind: 'forever' }],
    ['30m', { kind: 'time', seconds: 1_800 }],
    ['366d', { kind: 'time', seconds: 366 * 86_400 }],
    ['0001h', { kind: 'time', seconds: 3_600 }],
    ['1000000000x', { kind: 'count', count: 1_000_000_000 }],
    ['100x/h', { kind: 'rate', count: 100, seconds: 3_600 }],
    ['5x/1w', { kind: 'rate', count: 5, seconds: 604_800 }],
  ])('reads %s', (text, mute) => {
    expect(parseMute(text)).toEqual(mute);
    expect(MuteUntil.parse(text)).toBe(text);
  });

  it.each([
    ...['', ' ', '1 h', ' 1h', '1h ', '1h\n', 'forever ', '\u0661h'],
    ...'0 1 x h 0h 0x 0x/1h 5x/0h 5x/ 5x/5 5/h -1h +1h 1.5h 1H 1s 1y 1h30m 100X 100x/1h/1h 100x/8d 100x/2w'.split(' '),
    ...'367d 53w 99999w 1000000001x 99999999999x 100000m FOREVER never 1e3x constructor __proto__'.split(' '),
  ])('refuses %j', (text) => {
    expect(parseMute(text)).toBeUndefined();
    expect(MuteUntil.safeParse(text).success).toBe(false);
  });

  it('parses every time and rate within its bounds, and none beyond them', () => {
    fc.assert(
      fc.property(fc.nat(2_000_000_000), fc.nat(99_999), unit, (count, n, name) => {
        const seconds = n * UNITS[name];
        const isTime = n > 0 && seconds <= 366 * UNITS.d;
        expect(parseMute(`${n}${name}`)).toEqual(isTime ? { kind: 'time', seconds } : undefined);
        const isCount = count > 0 && count <= 1e9;
        expect(parseMute(`${count}x`)).toEqual(isCount ? { kind: 'count', count } : undefined);
        const isRate = isCount && seconds > 0 && seconds <= UNITS.w;
        expect(parseMute(`${count}x/${n}${name}`)).toEqual(isRate ? { kind: 'rate', count, seconds } : undefined);
      }),
    );
  });

  it('accepts any text without throwing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9xmhdw/]{0,12}$/)), (text) => {
        const { seconds = 1, count = 1 } = (parseMute(text) ?? {}) as { seconds?: number; count?: number };
        expect(Math.min(seconds, count)).toBeGreaterThan(0);
      }),
    );
  });
});
