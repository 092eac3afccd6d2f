import { describe, expect, it } from 'vitest';
import type { Failure } from '../failures/failure.ts';
import { queryForRow } from './row-query.ts';

const failure: Failure = { kind: 'refused', message: 'It is gone.', fields: {} };
const data = { id: 7, data: 'of seven' };

describe('a query of one row', () => {
  it('returns the data of that row, fresh or stale', () => {
    expect(queryForRow({ status: 'ready', data, atMs: 1 }, 7)).toEqual({ status: 'ready', data: 'of seven', atMs: 1 });
    expect(queryForRow({ status: 'stale', data, atMs: 1, failure }, 7)).toMatchObject({
      status: 'stale',
      data: 'of seven',
    });
  });

  it('never returns the data of another row', () => {
    expect(queryForRow({ status: 'ready', data, atMs: 1 }, 8)).toEqual({ status: 'loading' });
    expect(queryForRow({ status: 'stale', data, atMs: 1, failure }, 8)).toEqual({ status: 'failed', failure });
    expect(queryForRow({ status: 'loading' }, 8)).toEqual({ status: 'loading' });
  });
});
