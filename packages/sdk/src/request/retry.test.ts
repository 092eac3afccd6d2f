import type { Method } from '@quarterdeck/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { ApiError, NetworkError, TimeoutError, UnexpectedAnswerError } from './errors.ts';
import { mayRetry, parseRetryAfter, retryDelayMs } from './retry.ts';

const target = { method: 'GET', url: 'http://host/a' };
const refused = (code: string, status: number) => new ApiError({ code, status, message: 'no' }, target);
const strange = (status: number) => new UnexpectedAnswerError({ reason: 'not an envelope', status }, target);

const failures = {
  unsent: new NetworkError({ text: 'refused', code: 'ECONNREFUSED' }, target),
  cutOff: new NetworkError({ text: 'reset', code: 'ECONNRESET' }, target),
  unexplained: new NetworkError({ text: 'failed' }, target),
  late: new TimeoutError(10_000, target),
  overloaded: refused('overloaded', 503),
  invalid: refused('validation_failed', 400),
  internal: refused('internal', 500),
  proxyDown: strange(502),
  page: strange(200),
  other: new Error('not ours'),
};
type Failure = keyof typeof failures;

const passing: Failure[] = ['unsent', 'cutOff', 'unexplained', 'late', 'overloaded', 'proxyDown'];
const cases: [Method, boolean | undefined, Failure[]][] = [
  ['GET', undefined, passing],
  ['GET', true, passing],
  ['GET', false, []],
  ['PUT', undefined, passing],
  ['PUT', false, []],
  ['DELETE', undefined, ['unsent']],
  ['DELETE', true, passing],
  ['DELETE', false, []],
  ['POST', undefined, []],
  ['POST', true, passing],
];

describe('mayRetry', () => {
  it.each(nonEmpty(cases))(
    '%s with idempotent %s repeats after %j and nothing else',
    (method, idempotent, repeated) => {
      for (const [name, failure] of Object.entries(failures)) {
        expect([name, mayRetry(failure, { method, idempotent })]).toEqual([name, repeated.includes(name as Failure)]);
      }
    },
  );

  it.each(['GET', 'PUT', 'DELETE', 'POST'] as const)('repeats %s that was refused for its rate', (method) => {
    for (const failure of [refused('rate_limited', 429), refused('quota_exceeded', 429), strange(429)]) {
      for (const idempotent of [undefined, true, false]) expect(mayRetry(failure, { method, idempotent })).toBe(true);
    }
  });

  it('does not repeat after wrong passwords', () => {
    expect(mayRetry(refused('too_many_requests', 429), { method: 'POST' })).toBe(false);
    expect(mayRetry(refused('too_many_requests', 429), { method: 'DELETE' })).toBe(false);
  });
});

describe('retryDelayMs', () => {
  it.each([
    [1, 200],
    [2, 400],
    [3, 800],
    [5, 3_200],
    [6, 5_000],
    [60, 5_000],
    [5_000, 5_000],
  ])('waits after attempt %i anything from nothing to %i ms', (attempt, longest) => {
    expect(retryDelayMs(attempt, undefined, 0)).toBe(0);
    expect(retryDelayMs(attempt, undefined, 0.5)).toBe(longest / 2);
    expect(retryDelayMs(attempt, undefined, 1)).toBe(longest);
  });

  it.each([
    [0, 0],
    [1_000, 1_000],
    [30_000, 30_000],
    [30_001, undefined],
  ])('honors a Retry-After of %i ms', (retryAfterMs, delayMs) => {
    expect(retryDelayMs(1, retryAfterMs, 0)).toBe(delayMs);
  });

  it('never comes before a Retry-After, and at most 200 ms later', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 0, max: 30_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempt, after, random) => {
          const delayMs = retryDelayMs(attempt, after, random) ?? Number.NaN;
          expect(delayMs).toBeGreaterThanOrEqual(after);
          expect(delayMs).toBeLessThanOrEqual(after + 200);
        },
      ),
    );
  });
});

describe('parseRetryAfter', () => {
  const nowMs = Date.parse('2026-01-31T09:00:00Z');
  it.each([
    [null, undefined],
    ['', undefined],
    ['soon', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['0', 0],
    ['120', 120_000],
    [' 3 ', 3_000],
    ['Sat, 31 Jan 2026 09:00:10 GMT', 10_000],
    ['Sat, 31 Jan 2026 08:59:00 GMT', 0],
  ])('reads %j as %j', (value, ms) => {
    expect(parseRetryAfter(value, nowMs)).toBe(ms);
  });
});
