import { AppError } from '@quarterdeck/core';
import { DatabaseError } from '@quarterdeck/core/db';
import { describe, expect, it } from 'vitest';
import { toAppError } from './error-handler.ts';

describe('toAppError', () => {
  it.each([
    ['busy', 'database_busy'],
    ['timeout', 'database_busy'],
    ['full', 'storage_full'],
    ['unavailable', 'database_unavailable'],
    ['closed', 'database_unavailable'],
    ['damaged', 'internal'],
    ['io', 'internal'],
  ] as const)('translates the database error %s to %s', (kind, code) => {
    const error = new DatabaseError(kind);
    expect(toAppError(error)).toMatchObject({ code, cause: error });
  });

  it.each([
    [400, 'bad_request'],
    [408, 'request_timeout'],
    [413, 'too_large'],
    [415, 'unsupported_media_type'],
    [418, 'internal'],
  ])('what reads bodies says with status %i is %s', (status, code) => {
    expect(toAppError(Object.assign(new Error('of the parser'), { status })).code).toBe(code);
  });

  it('returns a thrown refusal as it is, and internal for any other error', () => {
    const refusal = new AppError('not_found');
    expect(toAppError(refusal)).toBe(refusal);
    for (const thrown of [new Error('a bug'), 'text', undefined, null])
      expect(toAppError(thrown).code).toBe('internal');
  });
});
