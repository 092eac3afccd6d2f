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
  it.each<[string, boolean]>([
    ['', true],
    ['-*', false],
    ['"TIMED OUT"', true],
    ['"timed  out"', false],
    ['/timed out$/', false],
    ['/Connection/ -/connection/', true],
    ['level:error', true],
    ['level:>=error', true],
    ['level:>error', false],
    ['level:<error', false],
    ['level:warn,crit', false],
    ['host:WEB-1', true],
    ['host:web', false],
    ['host:web*', true],
    ['source:web-1', true],
    ['service:*', true],
    ['req:*', false],
    ['req:""', true],
    ['src:0', true],
    ['src:*', true],
    ['app:*', false],
    ['app:0', true],
    ['group:>=12', true],
    ['group:>12', false],
    ['group:10..12', true],
    ['state:*', false],
    ['-state:muted', true],
    ['since:60s', true],
    ['since:59s', false],
    ['until:60s', true],
    ['until:61s', false],
    ['client:10.9.8.7,10.9.8.8', true],
    ['client:10.9.8', false],
    ['user:root', true],
    ['User:root', false],
    ['status:>=500', true],
    ['status:<500', false],
    ['status:500..599', true],
    ['time:>0', false],
    ['time:<99', false],
    ['upstream:*', false],
    ['upstream:""', true],
    ['-upstream:x', true],
    ['upstream:/^/', false],
    ['constructor:*', false],
    ['fields.host:example.com', true],
    ['host:example.com', false],
  ])('answers %s', (filter, answer) => {
    expect(matches(filter)).toBe(answer);
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
