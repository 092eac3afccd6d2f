import { describe, expect, it } from 'vitest';
import { nextAttempt } from './retry-plan.ts';
import type { Outcome } from './transport.ts';

const NOW = 1_000_000;
const DAY = 86_400_000;

/** Wait before the next attempt, seconds; undefined where the message is given up. */
function waitOf(attempts: number, more: Partial<Extract<Outcome, { ok: false }>> = {}, random = 0.5) {
  const failure = { ok: false, status: 503, error: '', ...more } as const;
  const nextMs = nextAttempt(failure, { attempts, nowMs: NOW, expiresMs: NOW + DAY, random });
  return nextMs === undefined ? undefined : (nextMs - NOW) / 1000;
}

describe('nextAttempt', () => {
  it('waits longer each time', () => {
    const waits = Array.from({ length: 10 }, (_, i) => waitOf(i + 1));
    expect(waits).toEqual([5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 28_800]);
  });

  it('varies, and tries again within 10 s of the first attempt', () => {
    expect([waitOf(1, {}, 0), waitOf(1, {}, 1)]).toEqual([4.5, 5.5]);
  });

  it.each([
    [20_000, 20],
    [1000, 5],
    [3_600_000, 30],
  ])('waits as long as the receiver asks, up to the next step: %i ms', (retryAfterMs, wait) => {
    expect(waitOf(1, { retryAfterMs })).toBe(wait);
  });

  it.each([
    [600_000, 600],
    [7_200_000, 3600],
  ])('waits up to an hour where the rate is limited: %i ms', (retryAfterMs, wait) => {
    expect(waitOf(1, { status: 429, retryAfterMs })).toBe(wait);
  });

  it('makes no second attempt where the receiver forbids it', () => {
    expect(waitOf(1, { status: 400, isFinal: true })).toBeUndefined();
  });

  it('gives up a message before an attempt that would be too late', () => {
    const failure = { ok: false, status: null, error: '' } as const;
    const at = (expiresMs: number) => nextAttempt(failure, { attempts: 9, nowMs: NOW, expiresMs, random: 0.5 });
    expect(at(NOW + 28_800_000)).toBe(NOW + 28_800_000);
    expect(at(NOW + 28_799_999)).toBeUndefined();
  });

  it.each([{ status: 400 }, { status: 413 }, { status: 422 }, { status: 550, isRefused: true }])(
    'gives up a message that the receiver refuses after three attempts: %o',
    (more) => {
      expect([waitOf(1, more), waitOf(2, more), waitOf(3, more)]).toEqual([5, 30, undefined]);
    },
  );

  it.each([401, 403, 404, 409, 429, 500, 502])('goes on after the status %i', (status) => {
    expect(waitOf(3, { status })).toBe(120);
  });
});
