import { describe, expect, it } from 'vitest';
import { bothSourceFilters, isWithinSourceFilter, parseSourceFilter } from './source-names.ts';

describe('parseSourceFilter', () => {
  it.each([
    'host:web*',
    'Host:web1,web2 -service:payments',
    'service:/^shop-/',
    'label:site=north',
    'label:site=n* OR (host:gw1 NOT label:env=prod)',
  ])('accepts %s', (text) => {
    expect(parseSourceFilter(text)).toBeDefined();
  });

  it.each([
    'timeout',
    '"host:web1"',
    'level:error',
    'src:1',
    'state:new',
    'since:2h',
    'host:web1 client:10.0.0.1',
    '*',
    'host:web1 OR *',
    '-*',
    'label:site',
    'label:=north',
    'label:*',
    'label:/site=.*/',
    'host:web1 (',
    'fields.host:web1',
  ])('refuses %s', (text) => {
    expect(() => parseSourceFilter(text)).toThrow();
  });

  it('takes a blank text as no filter', () => {
    expect(parseSourceFilter('  ')).toBeUndefined();
  });
});

describe('isWithinSourceFilter', () => {
  it.each([
    ['host:a', '', true],
    ['host:a service:b', 'host:a', true],
    ['(host:a) (service:b OR service:c)', 'host:a', true],
    ['', 'host:a', false],
    ['host:b', 'host:a', false],
    ['(host:a) (host:b) OR host:c', 'host:a', false],
  ])('compares %s with %s', (text, other, isWithin) => {
    expect(isWithinSourceFilter(text, other)).toBe(isWithin);
  });

  it('holds for every filter that was joined with another one', () => {
    for (const one of ['host:a', 'host:a OR host:b', '-service:x', 'host:a service:b']) {
      expect(isWithinSourceFilter(bothSourceFilters(one, 'label:k=v OR host:z'), one)).toBe(true);
    }
  });
});
