import { expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { failure } from './envelope.ts';
import { AppError, ERRORS, type ErrorClass, type ErrorCode, errorClass, isRetryable, wireCode } from './errors.ts';

const CODES: Record<ErrorClass, string> = {
  input: `bad_request body_missing malformed_json validation_failed unknown_field webhook_address_not_allowed unsupported_media_type
    headers_too_large coding_not_implemented`,
  content: 'nothing_accepted idempotency_conflict too_large',
  credential: 'credential_missing credential_invalid session_expired token_expired',
  login: `login_failed otp_required too_many_requests authorization_pending slow_down device_code_expired
    access_denied`,
  permission: `address_not_allowed scope_missing second_factor_demanded reauthentication_required enrollment_used_up
    forbidden`,
  missing: 'not_found',
  unsupported: 'unknown_path method_not_allowed',
  conflict: 'conflict precondition_failed token_limit_reached last_master username_taken',
  rate: 'rate_limited stream_limit_reached export_limit_reached quota_exceeded',
  server: `request_timeout internal overloaded database_busy database_unavailable identity_unavailable storage_full
    shutting_down`,
};

/** Answers of a newer server or of something else. */
const STATUSES: [ErrorClass, number[]][] = [
  ['unsupported', [0, 200, 302, 405]],
  ['input', [400, 413, 415, 418, 422, 431]],
  ['credential', [401]],
  ['permission', [403]],
  ['missing', [404, 410]],
  ['conflict', [409, 412]],
  ['rate', [429]],
  ['server', [408, 425, 500, 501, 502, 503, 504, 599]],
];
const RETRYABLE = [408, 425, 429, 502, 503, 504];
const UNKNOWN = [undefined, '', 'from_the_future', 'toString'];

it('gives each code a class, whatever the status of the answer', () => {
  const expected = Object.entries(CODES).flatMap(([name, codes]) => codes.split(/\s+/).map((code) => [code, name]));
  const classified = Object.keys(ERRORS).map((code) => [code, errorClass(599, code)]);
  expect(Object.fromEntries(classified)).toEqual(Object.fromEntries(expected));
});

it.each(nonEmpty(STATUSES))('gives an unknown code the class %s with the statuses %j', (name, statuses) => {
  for (const status of statuses) {
    for (const code of UNKNOWN) {
      expect([status, errorClass(status, code)]).toEqual([status, name]);
      expect([status, isRetryable(status, code)]).toEqual([status, RETRYABLE.includes(status)]);
    }
  }
});

it.each(nonEmpty(Object.entries(ERRORS)))('takes from the table whether %s is retryable', (code, { retryable }) => {
  for (const status of [400, 503]) expect(isRetryable(status, code)).toBe(retryable);
});

it('gives a code with two statuses the class of its status, and the same name on the wire', () => {
  expect(errorClass(403, 'address_not_allowed')).toBe('permission');
  expect(errorClass(400, 'address_not_allowed')).toBe('input');
  for (const [code, status] of [['address_not_allowed', 403] as const, ['webhook_address_not_allowed', 400] as const]) {
    expect(wireCode(code)).toBe('address_not_allowed');
    expect(failure(new AppError(code satisfies ErrorCode), '', 0)).toMatchObject({
      status,
      err: { code: 'address_not_allowed' },
    });
  }
});

it('asks clients to wait one to five seconds where the server has a problem, unless the thrower says otherwise', () => {
  const waits = Array.from({ length: 400 }, () => new AppError('overloaded').retryAfterS);
  expect([...new Set(waits)].toSorted()).toEqual([1, 2, 3, 4, 5]);
  expect(new AppError('overloaded', { retryAfterS: 7 }).retryAfterS).toBe(7);
  expect(new AppError('internal').retryAfterS).toBeUndefined();
});
