import { AppError } from '@quarterdeck/core';
import { DatabaseError } from '@quarterdeck/core/db';
import { describe, expect, it } from 'vitest';
import { packOutcome, unpackOutcome } from './outcome.ts';

describe('packOutcome', () => {
  const travel = (error: unknown) => {
    const arrived = unpackOutcome(structuredClone(packOutcome({ id: 7, error })));
    return 'error' in arrived ? arrived.error : undefined;
  };

  it('keeps answers, refusals and faults', () => {
    const answered = { id: 1, answer: { accepted: 2, refused: [{ index: 1, message: 'no' }] } };
    expect(unpackOutcome(structuredClone(packOutcome(answered)))).toEqual(answered);
    const fields = [{ path: 'body.0', message: 'no' }];
    const refusal = new AppError('quota_exceeded', { message: 'Wait.', detail: 'why', fields, retryAfterS: 9 });
    expect(travel(refusal)).toBeInstanceOf(AppError);
    expect(travel(refusal)).toMatchObject({
      code: 'quota_exceeded',
      message: 'Wait.',
      detail: 'why',
      fields,
      retryAfterS: 9,
    });
    const fault = new DatabaseError('full', undefined, { cause: () => 'cannot travel' });
    expect(travel(fault)).toBeInstanceOf(DatabaseError);
    expect(travel(fault)).toMatchObject({ kind: 'full', message: 'The database has no space left.' });
    expect(travel(new TypeError('odd'))).toMatchObject({ message: 'odd' });
  });
});
