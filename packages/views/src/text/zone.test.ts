import { afterEach, describe, expect, it, vi } from 'vitest';
import { fullTime, momentText, shortTime } from './format.ts';
import { momentOf, setZone, wallTime, zoneName } from './zone.ts';

const NOW = Date.UTC(2026, 10, 23, 0, 30, 5);

afterEach(() => {
  setZone('local');
  vi.unstubAllEnvs();
});

describe('the zone of all times', () => {
  it.each([
    ['Europe/Berlin', 'CET', '01:30:05', '2026-11-23 01:30:05'],
    ['America/New_York', 'EST', '19:30:05', '2026-11-22 19:30:05'],
    ['Asia/Tokyo', 'GMT+9', '09:30:05', '2026-11-23 09:30:05'],
    ['UTC', 'UTC', '00:30:05', '2026-11-23 00:30:05'],
  ])('is that of the computer: %s', (zone, name, time, full) => {
    vi.stubEnv('TZ', zone);
    expect(zoneName(NOW)).toBe(name);
    expect(shortTime(NOW / 1000, NOW)).toBe(time);
    expect(fullTime(NOW)).toBe(full);
    expect(momentOf(wallTime(new Date(NOW)))).toBe(NOW);
  });

  it('is UTC where that is chosen, also for what is today', () => {
    vi.stubEnv('TZ', 'America/New_York');
    setZone('utc');
    expect(zoneName(NOW)).toBe('UTC');
    expect(shortTime(NOW / 1000, NOW)).toBe('00:30:05');
    expect(momentText(NOW / 1000 - 3_600, NOW)).toBe('Nov 22 23:30');
    expect(momentText(NOW / 1000 - 400 * 86_400, NOW)).toBe('2025-10-19 00:30');
    expect(momentOf(wallTime(new Date(NOW)))).toBe(NOW);
  });

  it('has the name of the season', () => {
    vi.stubEnv('TZ', 'Europe/Berlin');
    expect(zoneName(Date.UTC(2026, 6, 1))).toBe('CEST');
  });
});
