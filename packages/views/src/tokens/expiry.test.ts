import { describe, expect, it, vi } from 'vitest';
import { setZone } from '../text/zone.ts';
import { expiryCell, expiryText, readExpiry } from './expiry.ts';

const now = new Date(2026, 10, 20, 12, 0, 0).getTime();
const DAY_MS = 86_400_000;

describe('the expiry of a token', () => {
  it.each([
    ['keep', '', { expire: undefined }],
    ['never', '', { expire: 0 }],
    ['90', '', { expire: now + 90 * DAY_MS }],
    ['date', '2027-01-31', { expire: new Date(2027, 0, 31, 23, 59, 59).getTime() }],
    ['date', '2026-11-20', { expire: new Date(2026, 10, 20, 23, 59, 59).getTime() }],
    ['date', '2026-11-19', { problem: 'That day is in the past.' }],
    ['date', '2027-02-30', { problem: 'That day does not exist.' }],
    ['date', '2027-13-01', { problem: 'That day does not exist.' }],
    ['date', 'tomorrow', { problem: 'Enter a date such as 2027-01-31.' }],
    ['date', '', { problem: 'Enter a date such as 2027-01-31.' }],
  ])('%s %s is read as %j', (choice, date, expected) => {
    expect(readExpiry(choice, date, now)).toEqual(expected);
  });

  it('ends with the day in UTC where that zone is shown', () => {
    vi.stubEnv('TZ', 'Asia/Tokyo');
    setZone('utc');
    expect(readExpiry('date', '2027-01-31', now)).toEqual({ expire: Date.UTC(2027, 0, 31, 23, 59, 59) });
    setZone('local');
    expect(readExpiry('date', '2027-01-31', now)).toEqual({ expire: Date.UTC(2027, 0, 31, 14, 59, 59) });
    vi.unstubAllEnvs();
  });

  it('is shown as a moment with its distance', () => {
    expect(expiryText(0, now)).toBe('never');
    expect(expiryText(now + 90 * DAY_MS, now)).toMatch(/^2027-02-18 \d\d:00:00, in 90 days$/);
  });

  it.each([
    [0, 'never', 'muted'],
    [now - DAY_MS * 3, 'expired 3 days ago', 'bad'],
    [now + DAY_MS * 3, 'in 3 days', 'warning'],
    [now + DAY_MS * 30, 'in 30 days', 'plain'],
  ])('of %d is listed as %s', (expire, text, tone) => {
    expect(expiryCell(expire, now)).toEqual({ text, tone });
  });
});
