import { AppError } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { toAppError } from './error-handler.ts';

describe('toAppError', () => {
  it.each([
    [400, 'bad_request'],
    [408, 'request_timeout'],
    [413, 'too_large'],
    [415, 'unsupported_media_type'],
    [418, 'internal'],
  ])('what reads bodies says with status %i is %s', (status, code) => {
    expect(toAppError(Object.assign(new Error('of the parser'), { status })).code).toBe(code);
  });

  it('asks the service about errors of its own kind first', () => {
    const own = Object.assign(new Error('the disk is full'), { status: 400 });
    const convert = (error: unknown) => (error === own ? new AppError('storage_full') : undefined);
    expect(toAppError(own, convert).code).toBe('storage_full');
    expect(toAppError(new Error('a bug'), convert).code).toBe('internal');
  });

  it('returns a thrown refusal as it is, and internal for any other error', () => {
    const refusal = new AppError('not_found');
    expect(toAppError(refusal)).toBe(refusal);
    for (const thrown of [new Error('a bug'), 'text', undefined, null])
      expect(toAppError(thrown).code).toBe('internal');
  });
});
