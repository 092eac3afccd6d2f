import { DatabaseError } from '@quarterdeck/core/db';
import { describe, expect, it } from 'vitest';
import { fromDatabase } from './error-handler.ts';

describe('fromDatabase', () => {
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
    expect(fromDatabase(error)).toMatchObject({ code, cause: error });
  });

  it('leaves other errors to others', () => {
    expect(fromDatabase(new Error('a bug'))).toBeUndefined();
  });
});
