import { describe, expect, it } from 'vitest';
import { hasExpression, termsOf } from './filter.ts';
import { parseFilter } from './parse-filter.ts';
import { decide, requiredTexts, timeBounds } from './plan-filter.ts';

const NOW_S = 1_800_000_000;

describe('requiredTexts', () => {
  it.each<[string, string[][]]>([
    ['', []],
    ['Timeout "Ä B"', [['timeout'], ['Ä b']]],
    ['a OR bc', [['a', 'bc']]],
    ['a (b OR c)', [['a'], ['b', 'c']]],
    ['(a bcd) OR (ef gh)', [['bcd', 'ef']]],
    ['a OR level:error', []],
    ['-a', []],
    ['a -b', [['a']]],
    ['""', []],
    ['client:10.9.8.7', []],
    [String.raw`/Upstream (a|b) timed\.out/`, [['upstream '], [' timed.out']]],
    ['/ab/ OR cd', [['ab', 'cd']]],
    ['/timed out|refused/ x', [['timed out', 'refused'], ['x']]],
    ['a OR a', [['a']]],
  ])('of %s', (filter, texts) => {
    expect(requiredTexts(parseFilter(filter))).toEqual(texts);
  });
});

describe('timeBounds', () => {
  it.each<[string, { from?: number; to?: number }]>([
    ['a', {}],
    ['since:1h', { from: NOW_S - 3600 }],
    ['since:1h until:1m a', { from: NOW_S - 3600, to: NOW_S - 60 }],
    ['since:1h since:2h', { from: NOW_S - 3600 }],
    ['until:1h until:2h', { to: NOW_S - 7200 }],
    ['since:1h OR since:2h', { from: NOW_S - 7200 }],
    ['since:1h OR a', {}],
    ['-since:1h', { to: NOW_S - 3601 }],
    ['-until:1h', { from: NOW_S - 3599 }],
    ['-(since:1h OR until:2h)', { from: NOW_S - 7199, to: NOW_S - 3601 }],
    ['-(since:1h since:2h)', { to: NOW_S - 3601 }],
    ['since:1m until:1h', { from: NOW_S - 60, to: NOW_S - 3600 }],
    ['since:1799999999', { from: 1_799_999_999 }],
  ])('of %s', (filter, bounds) => {
    expect(timeBounds(parseFilter(filter), NOW_S)).toEqual(bounds);
  });
});

describe('decide', () => {
  it.each<[string, boolean | undefined]>([
    ['yes', true],
    ['no', false],
    ['maybe', undefined],
    ['-maybe', undefined],
    ['no maybe', false],
    ['yes maybe', undefined],
    ['yes OR maybe', true],
    ['no OR maybe', undefined],
    ['-(no maybe)', true],
    ['*', true],
  ])('of %s', (filter, answer) => {
    const answers = new Map([
      ['yes', true],
      ['no', false],
    ]);
    expect(decide(parseFilter(filter), (term) => (term.kind === 'text' ? answers.get(term.text) : undefined))).toBe(
      answer,
    );
  });
});

describe('termsOf and hasExpression', () => {
  it('list the terms from left to right', () => {
    expect(termsOf(parseFilter('a -(b OR x:1) *')).map(({ kind }) => kind)).toEqual(['text', 'text', 'field']);
  });

  it('find an expression of the text or of a field', () => {
    expect(['/a/', 'b -x:/a/', 'a', 'x:a'].map((filter) => hasExpression(parseFilter(filter)))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
