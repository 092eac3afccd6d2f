import { describe, expect, it } from 'vitest';
import { parseMoment, parseRange } from './parse-time.ts';

// Monday 2026-11-23 09:30:00 UTC.
const NOW = Date.UTC(2026, 10, 23, 9, 30);
const present = { nowMs: NOW, zone: 'utc' } as const;
const at = (iso: string): number => Date.parse(iso) / 1000;
const span = (start: string, end: string) => ({
  value: { kind: 'span', startS: at(start), endS: at(end) },
});

describe('a typed moment', () => {
  it.each([
    ['now', '2026-11-23T09:30:00Z'],
    ['2h', '2026-11-23T07:30:00Z'],
    ['-2h', '2026-11-23T07:30:00Z'],
    ['1d12h ago', '2026-11-21T21:30:00Z'],
    ['09:15', '2026-11-23T09:15:00Z'],
    ['9:15:30', '2026-11-23T09:15:30Z'],
    ['23:00', '2026-11-22T23:00:00Z'],
    ['today', '2026-11-23T00:00:00Z'],
    ['today 08:00', '2026-11-23T08:00:00Z'],
    ['yesterday', '2026-11-22T00:00:00Z'],
    ['Yesterday 10:35', '2026-11-22T10:35:00Z'],
    ['2026-11-01', '2026-11-01T00:00:00Z'],
    ['2026-11-01 10:00', '2026-11-01T10:00:00Z'],
    ['2026-11-01T10:00:07', '2026-11-01T10:00:07Z'],
    ['2026-11-01T10:00+02:00', '2026-11-01T08:00:00Z'],
    ['2026-11-01T10:00Z', '2026-11-01T10:00:00Z'],
    ['Nov 22 10:00', '2026-11-22T10:00:00Z'],
    ['Dec 3', '2025-12-03T00:00:00Z'],
    // The server knows no earlier time.
    ['1900-01-01', '1970-01-01T00:00:00Z'],
    ['1769853600', '2026-01-31T10:00:00Z'],
  ])('of %s is %s', (text, iso) => {
    expect(parseMoment(text, present)).toEqual({ value: at(iso) });
  });

  it('is read in the zone of the computer, if that is shown', () => {
    const local = parseMoment('2026-11-22 10:00', { nowMs: NOW, zone: 'local' });
    expect(local).toEqual({ value: new Date(2026, 10, 22, 10).getTime() / 1000 });
  });

  it('is the day before on the first of a month', () => {
    const nowMs = Date.UTC(2026, 11, 1, 9);
    expect(parseMoment('yesterday 10:00', { nowMs, zone: 'utc' })).toEqual({ value: at('2026-11-30T10:00:00Z') });
  });

  it.each(['', 'soon', '25:00', '10:75', '2026-02-30', '2026-13-01', '0h', 'yesterday 24:10', '10', '99999999d'])(
    'of "%s" is refused with what is allowed',
    (text) => {
      const parsed = parseMoment(text, present);
      expect(parsed).toHaveProperty('problem', expect.stringContaining('Allowed: 2h, 10:35, yesterday 10:35'));
    },
  );

  it('is refused in the future', () => {
    expect(parseMoment('2026-12-01', present)).toEqual({ problem: '"2026-12-01" is in the future.' });
  });
});

describe('a typed range', () => {
  it.each([
    ['2h', { kind: 'last', seconds: 7_200 }],
    ['since 2h', { kind: 'last', seconds: 7_200 }],
    ['since -2h', { kind: 'last', seconds: 7_200 }],
    ['last 1h30m', { kind: 'last', seconds: 5_400 }],
    ['since 08:00', { kind: 'since', startS: at('2026-11-23T08:00:00Z') }],
    ['08:00', { kind: 'since', startS: at('2026-11-23T08:00:00Z') }],
    ['today', { kind: 'since', startS: at('2026-11-23T00:00:00Z') }],
    ['since yesterday', { kind: 'since', startS: at('2026-11-22T00:00:00Z') }],
    ['all', null],
  ])('of %s is %o', (text, value) => {
    expect(parseRange(text, present)).toEqual({ value });
  });

  it.each([
    ['from 08:00 to 09:02', '2026-11-23T08:00:00Z', '2026-11-23T09:02:00Z'],
    ['08:00-09:02', '2026-11-23T08:00:00Z', '2026-11-23T09:02:00Z'],
    ['08:00 to 09:02', '2026-11-23T08:00:00Z', '2026-11-23T09:02:00Z'],
    // Both yesterday, because 10:00 has not come today.
    ['from 10:00 to 11:02', '2026-11-22T10:00:00Z', '2026-11-22T11:02:00Z'],
    ['from 23:00 to 01:00', '2026-11-22T23:00:00Z', '2026-11-23T01:00:00Z'],
    ['from 2026-11-20 10:00 to 11:02', '2026-11-20T10:00:00Z', '2026-11-20T11:02:00Z'],
    ['2026-11-20 10:00 – 2026-11-21 11:02', '2026-11-20T10:00:00Z', '2026-11-21T11:02:00Z'],
    ['from 2h to 1h', '2026-11-23T07:30:00Z', '2026-11-23T08:30:00Z'],
    ['from 2026-11-20 to 2026-11-21', '2026-11-20T00:00:00Z', '2026-11-21T23:59:59Z'],
    ['yesterday', '2026-11-22T00:00:00Z', '2026-11-22T23:59:59Z'],
    ['2026-11-20', '2026-11-20T00:00:00Z', '2026-11-20T23:59:59Z'],
  ])('of %s has both ends', (text, start, end) => {
    expect(parseRange(text, present)).toEqual(span(start, end));
  });

  it('keeps its start at a new end', () => {
    const startS = at('2026-11-23T06:00:00Z');
    expect(parseRange('until 08:00', present, startS)).toEqual(span('2026-11-23T06:00:00Z', '2026-11-23T08:00:00Z'));
    expect(parseRange('until 08:00', present)).toEqual(span('1970-01-01T00:00:00Z', '2026-11-23T08:00:00Z'));
  });

  it('is refused with what is allowed', () => {
    expect(parseRange('whenever', present)).toEqual({
      problem: `"whenever" is not a time range. Allowed: 2h, since 10:00, 10:00 to 11:02, all.`,
    });
    expect(parseRange('since soon', present)).toHaveProperty(
      'problem',
      expect.stringContaining('is not a time. Allowed'),
    );
    expect(parseRange('from 2026-11-20 to 2026-11-19', present)).toEqual({
      problem: 'The end must be after the start.',
    });
    expect(parseRange('since 2026-12-01', present)).toEqual({ problem: '"2026-12-01" is in the future.' });
    expect(parseRange('last week', present)).toHaveProperty('problem', expect.stringContaining('Allowed: 15m'));
    expect(parseRange('from', present)).toHaveProperty('problem', expect.stringContaining('A time is missing'));
  });
});
