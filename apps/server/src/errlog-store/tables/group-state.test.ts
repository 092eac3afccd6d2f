import { ERRLOG_STATES, type ErrlogState } from '@quarterdeck/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GroupStatus, magnitudeOf, rateOf, stateAfter, statusFor } from './group-state.ts';

const NOW = 1_750_000_000;
const standing = (state: ErrlogState, more: Partial<GroupStatus> = {}): GroupStatus => ({
  state,
  state_since: NOW,
  until: '',
  until_time: 0,
  until_count: 0,
  ...more,
});

describe('stateAfter', () => {
  it.each([
    // state, what ends it, time of the line from now, count after it, state after it
    ['new', {}, 0, 2, 'new'],
    ['new', {}, 10 * 86_400, 2, 'new'],
    ['ongoing', {}, 0, 2, 'ongoing'],
    ['regressed', {}, 0, 2, 'regressed'],
    ['resolved', {}, -1, 2, 'resolved'],
    ['resolved', {}, -86_400, 1e9, 'resolved'],
    ['resolved', {}, 0, 2, 'regressed'],
    ['resolved', {}, 1, 2, 'regressed'],
    ['muted', { until: 'forever' }, 1e9, 1e9, 'muted'],
    ['muted', { until: '1h', until_time: NOW + 3_600 }, 3_599, 1e9, 'muted'],
    ['muted', { until: '1h', until_time: NOW + 3_600 }, 3_600, 2, 'ongoing'],
    ['muted', { until: '5x', until_count: 15 }, 1e9, 14, 'muted'],
    ['muted', { until: '5x', until_count: 15 }, -86_400, 15, 'ongoing'],
    ['muted', { until: '5x', until_count: 15 }, 0, 99, 'ongoing'],
    ['muted', { until: '5x/1h' }, 0, 1e9, 'muted'],
  ] as const)('%s %j after a line %d s from then, count %d: %s', (state, more, afterS, count, wanted) => {
    expect(stateAfter(standing(state, more), NOW + afterS, count)).toBe(wanted);
  });
});

describe('standingFor', () => {
  it.each([
    ['forever', 0, 0],
    [undefined, 0, 0],
    ['30m', NOW + 1_800, 0],
    ['2w', NOW + 2 * 604_800, 0],
    ['100x', 0, 142],
    ['100x/1h', 0, 0],
  ])('mutes until %s', (until, until_time, until_count) => {
    expect(statusFor('muted', until, 42, NOW)).toEqual(
      standing('muted', { until: until ?? 'forever', until_time, until_count }),
    );
  });

  it('forgets what ended a mute in any other state', () => {
    for (const state of ERRLOG_STATES) {
      if (state !== 'muted') expect(statusFor(state, undefined, 42, NOW)).toEqual(standing(state));
    }
  });
});

describe('rateOf', () => {
  it('is there for a mute by rate only', () => {
    expect(rateOf(standing('muted', { until: '100x/6h' }))).toMatchObject({ count: 100, seconds: 21_600 });
    for (const until of ['', 'forever', '1h', '100x', 'nonsense']) {
      expect(rateOf(standing('muted', { until })), until).toBeUndefined();
    }
    expect(rateOf(standing('ongoing', { until: '100x/6h' }))).toBeUndefined();
  });
});

describe('magnitudeOf', () => {
  it('is the count itself below 16, and never falls as the count grows', () => {
    for (let count = 0; count < 16; count += 1) expect(magnitudeOf(count)).toBe(count);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER - 1 }), (count) => {
        expect(magnitudeOf(count + 1)).toBeGreaterThanOrEqual(magnitudeOf(count));
      }),
    );
  });

  it('has eight steps to a doubling, at exact borders', () => {
    for (let power = 3; power < 53; power += 1) expect(magnitudeOf(2 ** power)).toBe(8 * (power - 2));
    for (let power = 3; power < 40; power += 1) expect(magnitudeOf(2 ** power - 1)).toBe(8 * (power - 2) - 1);
  });

  it('stays below what the order by count begins with', () => {
    expect(magnitudeOf(Number.MAX_SAFE_INTEGER)).toBeLessThan(1_000_000);
  });
});
