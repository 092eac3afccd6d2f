import { beforeAll, describe, expect, it } from 'vitest';
import { compileFilter, type FilterableLine } from './compile-filter.ts';
import { loadExpressions } from './expressions.ts';
import { parseFilter } from './parse-filter.ts';

beforeAll(loadExpressions);

const NOW_S = 1_800_000_000;
const LINE: FilterableLine = {
  time: NOW_S - 60,
  level: 4,
  log: 'upstream timed out (110: Connection timed out)',
  host: 'web-1',
  service: 'nginx',
  source: 'Web-1',
  src: 0,
  app_id: 0,
  req_id: '',
  group: 12,
  fields: () => ({ client: '10.9.8.7', status: '502', time: '12ms', user: 'Root', host: 'example.com' }),
};

const matches = (filter: string, line = LINE) => compileFilter(parseFilter(filter), NOW_S)(line);

describe('compileFilter', () => {
  it.each([
    '',
    ...'"TIMED OUT" | /Connection/ -/connection/ | level:error | level:>=error | host:WEB-1 | host:web*'.split(' | '),
    ...'source:web-1 | service:* | req:"" | src:0 | src:* | app:0 | group:>=12 | group:10..12 | -state:muted'.split(
      ' | ',
    ),
    ...'since:60s | until:60s | client:10.9.8.7,10.9.8.8 | user:root | status:>=500 | status:500..599'.split(' | '),
    ...'upstream:"" | -upstream:x | fields.host:example.com'.split(' | '),
  ])('finds the line with %s', (filter) => {
    expect(matches(filter)).toBe(true);
  });

  it.each([
    ...'-* | "timed  out" | /timed out$/ | level:>error | level:<error | level:warn,crit | host:web | req:*'.split(
      ' | ',
    ),
    ...'app:* | group:>12 | state:* | since:59s | until:61s | client:10.9.8 | User:root | status:<500'.split(' | '),
    ...'time:>0 | time:<99 | upstream:* | upstream:/^/ | constructor:* | host:example.com'.split(' | '),
  ])('misses the line with %s', (filter) => {
    expect(matches(filter)).toBe(false);
  });

  it('knows the state of a line that has one', () => {
    expect(matches('state:new,muted', { ...LINE, state: 'muted' })).toBe(true);
    expect(matches('state:*', { ...LINE, state: 'muted' })).toBe(true);
  });

  it('tries the terms of a group in the order of their cost', () => {
    const read: string[] = [];
    const line: FilterableLine = {
      ...LINE,
      get level() {
        read.push('level');
        return 4;
      },
      get log() {
        read.push('log');
        return '';
      },
      fields: () => {
        read.push('fields');
        return {};
      },
    };
    const readBy = (filter: string) => {
      read.length = 0;
      matches(filter, line);
      return read.join(' ');
    };
    expect(readBy('x:/a/ OR /a/ OR x:1 OR a OR level:crit')).toBe('level log fields fields log');
    expect(readBy('x:1 (a OR level:error)')).toBe('level fields');
    expect(readBy('(x:1 OR level:error) a')).toBe('log');
    expect(readBy('-x:1 -level:error')).toBe('level');
    expect(readBy('since:1s /a/ level:error')).toBe('');
  });
});
