import { describe, expect, it } from 'vitest';
import { formatFilter } from './format-filter.ts';
import { parseFilter } from './parse-filter.ts';

describe('formatFilter', () => {
  it.each<[filter: string, canonical: string]>([
    ['', ''],
    ['*', ''],
    ['-*', '-*'],
    ['  a   AND b ', 'a b'],
    ['((a) OR ((b) c))', 'a OR b c'],
    ['a (b OR c)', 'a (b OR c)'],
    ['NOT (a b)', '-(a b)'],
    ['"a"', 'a'],
    ['"a b"', '"a b"'],
    ['"OR" "-x" "a:b" ""', '"OR" "-x" "a:b" ""'],
    ['http://a', '"http://a"'],
    ['-">" <a>', '-">" <a>'],
    [String.raw`"\n\t\r\"\\"`, String.raw`"\n\t\r\"\\"`],
    [String.raw`/a\/b\\/i`, String.raw`/a\/b\\/i`],
    ['x:"a",b*', 'x:a OR x:b*'],
    ['x:http://a:80/b', 'x:http://a:80/b'],
    ['x:"a b","c,d","*"', 'x:"a b","c,d","*"'],
    ['x:"1..5"', 'x:"1..5"'],
    ['x:1..5', 'x:>=1 x:<=5'],
    ['"my key":1', '"my key":1'],
    ['fields.Host:1 fields.a:1', 'fields.Host:1 a:1'],
    ['LEVEL:ERR,5 OR level:>=crit', 'level:error,warn OR level:>=crit'],
    ['since:3600s until:36h', 'since:1h until:36h'],
    ['since:0d', 'since:0s'],
    ['since:2026-01-31T12:00:00.5+02:00', 'since:2026-01-31T10:00:00Z'],
    ['since:999999999999', 'since:999999999999'],
  ])('of %s', (filter, canonical) => {
    expect(formatFilter(parseFilter(filter))).toBe(canonical);
  });
});
