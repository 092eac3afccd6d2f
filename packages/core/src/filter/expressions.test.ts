import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { atMost } from '../../../../test/thoroughness.ts';
import { lowerAscii } from '../base/ascii.ts';
import { literalsOf } from './expression-literals.ts';
import { checkExpression, compileExpression, loadExpressions } from './expressions.ts';
import { parseFilter } from './parse-filter.ts';

beforeAll(loadExpressions);

const matches = (source: string, text: string, flags = '') => compileExpression({ source, flags })(text);

describe('expressions', () => {
  it('answers where backtracking would never end', () => {
    // An engine that backtracks tries 2^5000 ways.
    expect(matches('(a+)+$', `${'a'.repeat(5000)}!`)).toBe(false);
    expect(matches('(a|a)*b', 'a'.repeat(16_384))).toBe(false);
    expect(matches('(x+x+)+y', 'x'.repeat(16_384))).toBe(false);
  });

  it('searches anywhere, in the given case unless asked otherwise', () => {
    expect(matches('b+c', 'aBbc')).toBe(true);
    expect(matches('ERROR', 'an error')).toBe(false);
    expect(matches('ERROR', 'an error', 'i')).toBe(true);
    expect(matches('^b', 'a\nb')).toBe(false);
    expect(matches('(?m)^b', 'a\nb')).toBe(true);
  });

  it('bounds the length and the size of the expressions of a filter', () => {
    expect(checkExpression({ source: 'a'.repeat(1001), flags: '' })).toMatchObject({ problem: expect.anything() });
    expect(parseFilter('/a{400}/')).toMatchObject({ kind: 'expression' });
    expect(() => parseFilter('/a{600}/')).toThrow(/too large/);
    expect(() => parseFilter('/a{300}/ x:/a{300}/')).toThrow(/together/);
    expect(() => parseFilter('/(a{1000}){1000}/')).toThrow(/not valid/);
  });

  it('accepts an expression unseen, and does not compile it, before the engine is loaded', async () => {
    // The query makes it a module of its own, whose engine is not loaded.
    const path = './expressions.ts?fresh';
    const fresh = (await import(path)) as typeof import('./expressions.ts');
    expect(fresh.checkExpression({ source: '(', flags: '' })).toEqual({ size: 0 });
    expect(() => fresh.compileExpression({ source: 'a', flags: '' })).toThrow(/loadExpressions/);
    await fresh.loadExpressions();
    expect(fresh.checkExpression({ source: '(', flags: '' })).toMatchObject({ problem: expect.anything() });
  });
});

describe('literalsOf', () => {
  it.each<[source: string, flags: string, literals: string[][]]>([
    ['upstream timed out', '', [['upstream timed out']]],
    [String.raw`client: 10\.9\.\d+\.7\b`, '', [['client: 10.9.'], ['.7']]],
    ['^abc.*def$', '', [['abc'], ['def']]],
    ['ab+c', '', [['ab'], ['c']]],
    ['ab?c', '', [['a'], ['c']]],
    ['ab{2,3}c', '', [['a'], ['c']]],
    ['ab*?c', '', [['a'], ['c']]],
    ['a(b|c)d', '', [['a'], ['d']]],
    ['a(?:b)d', '', [['a'], ['d']]],
    ['a(?P<x>b(c)|d)e', '', [['a'], ['e']]],
    ['a[])x]b', '', [['a'], ['b']]],
    ['a[[:alpha:]]b', '', [['a'], ['b']]],
    ['ab.c|d.ef', '', [['ab', 'ef']]],
    ['ab|.', '', []],
    ['ab|', '', []],
    ['(?i)ab', '', []],
    [String.raw`ab\x41`, '', []],
    [String.raw`ab\pL`, '', []],
    [String.raw`\Qa.b\E`, '', []],
    ['task', 'i', [['ta']]],
    ['mäh', 'i', [['m'], ['h']]],
    ['a😀b', '', [['a😀b']]],
  ])('finds what every match of /%s/%s contains', (source, flags, literals) => {
    expect(literalsOf({ source, flags })).toEqual(literals);
  });

  it('finds nothing that a match can lack', () => {
    const parts = String.raw`a b k ſ . ? * + +? {2} {0,1} ( ) (?: | [ab] [^a] []a] ^ $ \. \d \b { } -`.split(' ');
    const source = fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 8 }).map((each) => each.join(''));
    const log = fc.string({
      unit: fc.constantFrom('a', 'b', 'k', 'K', 'ſ', '\u212A', '.', '1', '{', '-'),
      maxLength: 8,
    });
    fc.assert(
      fc.property(
        source,
        fc.constantFrom('', 'i'),
        fc.array(log, { minLength: 20, maxLength: 20 }),
        (source, flags, logs) => {
          fc.pre(!('problem' in checkExpression({ source, flags })));
          const lists = literalsOf({ source, flags }).map((literals) => literals.map(lowerAscii));
          for (const text of logs.filter(compileExpression({ source, flags }))) {
            for (const literals of lists)
              expect(literals.some((literal) => lowerAscii(text).includes(literal))).toBe(true);
          }
        },
      ),
      { numRuns: atMost(100, 1000), maxSkipsPerRun: 1000 },
    );
  });
});
