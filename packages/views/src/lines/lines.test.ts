import { describe, expect, it } from 'vitest';
import { isOpenEnded, lineQuery, linesCurl } from './lines.ts';

const NOW_S = 1_800_000_000;

describe('the query of lines', () => {
  it('has the filter and the ends of the range', () => {
    expect(lineQuery('', null, NOW_S)).toEqual({});
    expect(lineQuery('client:a', { kind: 'span', startS: 10, endS: 20 }, NOW_S)).toEqual({
      filter: 'client:a',
      start_time: 10,
      end_time: 20,
    });
  });

  it('gets new lines unless its range ends in the past', () => {
    expect(isOpenEnded(lineQuery('', null, NOW_S), NOW_S)).toBe(true);
    expect(isOpenEnded(lineQuery('', { kind: 'last', seconds: 3_600 }, NOW_S), NOW_S)).toBe(true);
    expect(isOpenEnded(lineQuery('', { kind: 'span', startS: 10, endS: NOW_S + 60 }, NOW_S), NOW_S)).toBe(true);
    expect(isOpenEnded(lineQuery('', { kind: 'span', startS: 10, endS: 20 }, NOW_S), NOW_S)).toBe(false);
  });

  it('can be run by curl', () => {
    const curl = linesCurl('http://127.0.0.1:7080', { filter: 'request:"GET /it\'s"', start_time: 10 });
    expect(curl).toContain('/admin-api/log_server/line?filter=request%3A%22GET+%2Fit%27s%22&start_time=10&limit=100');
  });
});
