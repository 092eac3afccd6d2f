import { describe, expect, it } from 'vitest';
import type { Flag } from './command.ts';
import { readValue } from './values.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const read = (type: Flag['type'], text: unknown, more: Partial<Flag> = {}) =>
  readValue({ name: 'some_field', type, ...more }, text, NOW);

describe('the value of an option', () => {
  it('is a moment: an age, a date, an ISO time or Unix seconds', () => {
    expect(read('time', '2h')).toBe(NOW / 1000 - 7200);
    expect(read('time', '2026-01-31')).toBe(Date.parse('2026-01-31T00:00Z') / 1000);
    expect(read('time', '2026-01-31T10:00Z')).toBe(Date.parse('2026-01-31T10:00Z') / 1000);
    expect(read('time', '1769853600')).toBe(1769853600);
  });

  it('is an expiry: a duration from now, the end of a day, or never', () => {
    expect(read('expiry', '90d')).toBe(NOW + 90 * 86_400_000);
    expect(read('expiry', '2027-01-31')).toBe(Date.parse('2027-01-31T23:59:59Z'));
    expect(read('expiry', 'never')).toBe(0);
    expect(read('expiry', '0')).toBe(0);
  });

  it('is a duration in seconds', () => {
    expect(read('duration', '1h30m')).toBe(5400);
    expect(read('duration', '90')).toBe(90);
  });

  it('is a level by its name or number', () => {
    expect(read('level', 'Warn')).toBe(5);
    expect(read('level', '4')).toBe(4);
  });

  it('is a list or pairs, repeated or with commas', () => {
    expect(read('texts', ['a,b', 'c'])).toEqual(['a', 'b', 'c']);
    expect(read('numbers', ['1,2'])).toEqual([1, 2]);
    expect(read('pairs', ['site=north,tier=', 'a=b=c'])).toEqual({ site: 'north', tier: '', a: 'b=c' });
  });

  it.each<[Flag['type'], string, Partial<Flag>?]>([
    ['time', 'yesterday'],
    ['time', '2026-02-31'],
    ['expiry', 'soon'],
    ['duration', '2026-01-31'],
    ['duration', '-5'],
    ['level', 'loud'],
    ['level', '9'],
    ['number', ''],
    ['number', '1x'],
    ['pairs', '=x'],
    ['pairs', 'x'],
    ['json', '{'],
    ['text', 'c', { values: ['a', 'b'] }],
    ['texts', 'a,c', { values: ['a', 'b'] }],
  ])('as %s refuses %j, and names the option', (type, text, more) => {
    expect(() => read(type, text, more)).toThrow(/^--some-field cannot be /);
  });
});
