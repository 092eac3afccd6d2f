import { describe, expect, it } from 'vitest';
import { isDue, lastDueMs } from './schedule.ts';

const at = (text: string) => Date.parse(`2026-11-${text}:00.000Z`);

describe('lastDueMs', () => {
  it.each([
    [['03:00'], '23T02:59', '22T03:00'],
    [['03:00'], '23T03:00', '23T03:00'],
    [['03:00', '15:30'], '23T15:29', '23T03:00'],
    [['03:00', '15:30'], '23T15:30', '23T15:30'],
    [['23:59'], '23T00:00', '22T23:59'],
    [['00:00'], '23T00:00', '23T00:00'],
  ])('of %j at %s is %s', (times, now, due) => {
    expect(lastDueMs(times, at(now))).toBe(at(due));
  });
});

describe('isDue', () => {
  it.each([
    ['before the first backup', undefined, '23T10:00', true],
    ['after the time has passed', '22T03:00', '23T03:00', true],
    ['not before it', '22T03:00', '23T02:59', false],
    ['not twice', '23T03:00', '23T10:00', false],
    ['after many missed ones', '01T03:00', '23T10:00', true],
    ['after a backup with a clock that was fast', '25T03:00', '23T10:00', true],
    ['not after one of a server whose clock is a little fast', '23T10:04', '23T10:00', false],
  ])('is right %s', (_, made, now, due) => {
    expect(isDue(['03:00'], made === undefined ? undefined : at(made), at(now))).toBe(due);
  });
});
