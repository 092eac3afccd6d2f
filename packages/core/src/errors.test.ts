import { describe, expect, it } from 'vitest';
import { failure } from './envelope.ts';
import { AppError, ERRORS, type ErrorClass, type ErrorCode, errorClass, isRetryable, wireCode } from './errors.ts';

const CODES: Record<ErrorClass, ErrorCode[]> = {
  input: [
    'bad_request',
    'body_missing',
    'malformed_json',
    'validation_failed',
    'webhook_address_not_allowed',
    'unsupported_media_type',
    'headers_too_large',
  ],
  content: ['nothing_accepted', 'idempotency_conflict', 'too_large'],
  credential: ['credential_missing', 'credential_invalid', 'session_expired', 'token_expired'],
  login: ['login_failed', 'otp_required', 'too_many_requests'],
  permission: [
    'address_not_allowed',
    'scope_missing',
    'second_factor_demanded',
    'reauthentication_required',
    'enrollment_used_up',
    'forbidden',
  ],
  missing: ['not_found'],
  unsupported: ['unknown_path', 'method_not_allowed'],
  conflict: ['conflict', 'precondition_failed', 'token_limit_reached', 'last_master', 'username_taken'],
  rate: ['rate_limited', 'stream_limit_reached', 'quota_exceeded'],
  server: [
    'request_timeout',
    'internal',
    'overloaded',
    'database_busy',
    'database_unavailable',
    'identity_unavailable',
    'storage_full',
    'shutting_down',
  ],
};

/** Answer of a newer server or of something else: status, class, whether a repetition may succeed. */
const STATUSES: [number, ErrorClass, boolean][] = [
  [0, 'unsupported', false],
  [200, 'unsupported', false],
  [302, 'unsupported', false],
  [400, 'input', false],
  [401, 'credential', false],
  [403, 'permission', false],
  [404, 'missing', false],
  [405, 'unsupported', false],
  [408, 'server', true],
  [409, 'conflict', false],
  [410, 'missing', false],
  [412, 'conflict', false],
  [413, 'input', false],
  [415, 'input', false],
  [418, 'input', false],
  [422, 'input', false],
  [425, 'server', true],
  [429, 'rate', true],
  [431, 'input', false],
  [500, 'server', false],
  [501, 'server', false],
  [502, 'server', true],
  [503, 'server', true],
  [504, 'server', true],
  [599, 'server', false],
];

describe('errorClass', () => {
  it('has a class for each code, whatever the status of the answer', () => {
    const expected = Object.entries(CODES).flatMap(([name, codes]) => codes.map((code) => [code, name]));
    const classified = Object.keys(ERRORS).map((code) => [code, errorClass(599, code)]);
    expect(Object.fromEntries(classified)).toEqual(Object.fromEntries(expected));
  });

  it.each(STATUSES)('classifies the status %i as %s where the code is not known', (status, expected) => {
    for (const code of [undefined, '', 'from_the_future', 'toString']) expect(errorClass(status, code)).toBe(expected);
  });
});

describe('a code with two statuses', () => {
  it('has the class of the row with the status of the answer', () => {
    expect(errorClass(403, 'address_not_allowed')).toBe('permission');
    expect(errorClass(400, 'address_not_allowed')).toBe('input');
  });

  it('is the code of both rows on the wire', () => {
    expect(wireCode('address_not_allowed')).toBe('address_not_allowed');
    expect(wireCode('webhook_address_not_allowed')).toBe('address_not_allowed');
    const bodyOf = (code: ErrorCode) => failure(new AppError(code), '', 0);
    expect(bodyOf('address_not_allowed')).toMatchObject({ status: 403, err: { code: 'address_not_allowed' } });
    expect(bodyOf('webhook_address_not_allowed')).toMatchObject({ status: 400, err: { code: 'address_not_allowed' } });
  });
});

describe('isRetryable', () => {
  it.each(Object.entries(ERRORS))('takes %s from the table', (code, { retryable }) => {
    for (const status of [400, 503]) expect(isRetryable(status, code)).toBe(retryable);
  });

  it.each(STATUSES)('decides by the status %i where the code is not known', (status, _, expected) => {
    for (const code of [undefined, '', 'from_the_future', 'toString']) expect(isRetryable(status, code)).toBe(expected);
  });
});

describe('AppError', () => {
  it('asks to wait a second where the server has a problem, unless the thrower says otherwise', () => {
    expect(new AppError('overloaded').retryAfterS).toBe(1);
    expect(new AppError('overloaded', { retryAfterS: 7 }).retryAfterS).toBe(7);
    expect(new AppError('internal').retryAfterS).toBeUndefined();
  });
});
