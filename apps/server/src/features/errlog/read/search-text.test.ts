import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { likePattern, trigramQuery } from './search-text.ts';

/** The phrases of a query for FTS5, without their quotes. */
const phrases = (query: string) =>
  query.split(/" AND "/).map((part) => part.replace(/^"|"$/g, '').replaceAll('""', '"'));

describe('likePattern', () => {
  it.each([
    ['timed out', '%timed out%'],
    ['100%', '%100\\%%'],
    ['a_b', '%a\\_b%'],
    ['C:\\temp', '%C:\\\\temp%'],
    ['\\%_', '%\\\\\\%\\_%'],
    ["it's", "%it's%"],
    ['', '%%'],
  ])('leaves nothing special in %j', (q, pattern) => {
    expect(likePattern(q)).toBe(pattern);
  });
});

describe('trigramQuery', () => {
  it.each([
    ['abc', '"abc"'],
    ['abcd', '"abc" AND "bcd"'],
    ['aaaaa', '"aaa"'],
    ['a "b"', '"a """ AND """b"""'],
    ['timed out', '"tim" AND "ed " AND "out"'],
    ['timed outs', '"tim" AND "ed " AND "out" AND "uts"'],
    ['NOT', '"NOT"'],
    ['a*b', '"a*b"'],
    ['\u{1f600}ab', '"\u{1f600}ab"'],
    ['\u{1f600}\u{1f601}\u{1fa00}', '"\u{1f600}\u{1f601}\u{1fa00}"'],
  ])('quotes the pieces of %j', (q, query) => {
    expect(trigramQuery(q)).toBe(query);
  });

  it.each(['', 'a', 'ab', '\u{1f600}', '\u{1f600}a'])('has nothing to ask for %j', (q) => {
    expect(trigramQuery(q)).toBeUndefined();
  });

  it('asks for pieces of the text and for nothing else, at most 24', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 3, maxLength: 200 }), (q) => {
        const query = trigramQuery(q);
        expect(query).toBeDefined();
        const asked = phrases(query ?? '');
        expect(asked.length).toBeLessThanOrEqual(24);
        expect(new Set(asked).size).toBe(asked.length);
        for (const piece of asked) {
          expect([...piece]).toHaveLength(3);
          expect(q).toContain(piece);
        }
      }),
    );
  });
});
