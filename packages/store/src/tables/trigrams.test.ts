import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { ANY_CHARACTER } from '../../../core/test/any-character.ts';
import { chooseTrigrams, indexedText, trigramRange, trigramsOf } from './trigrams.ts';

describe('trigramsOf', () => {
  it.each<[string, string[]]>(
    nonEmpty([
      ['abc', ['abc']],
      ['abcd', ['abc', 'bcd']],
      ['aaaaa', ['aaa']],
      ['timed out', ['tim', 'ed ', 'out', 'ime', 'med', 'd o', ' ou']],
      ['NOT', ['not']],
      ['\u00c4\u00e4K\u212a', ['\u00c4\u00e4k', '\u00e4k\u212a']],
      ['\u{1f600}ab', ['\u{1f600}ab']],
      ['a\uffff\ufffe', ['a\ufffd\ufffd']],
      ...['', 'a', 'ab', '\u{1f600}', '\u{1f600}a'].map((q): [string, string[]] => [q, []]),
    ]),
  )('of %j come side by side first', (q, trigrams) => {
    expect(trigramsOf(q)).toEqual(trigrams);
  });

  it('are pieces of the text as the index has it, and nothing else, at most 64', () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER, minLength: 3, maxLength: 200 }), (q) => {
        const trigrams = trigramsOf(q);
        expect(trigrams.length).toBeGreaterThan(0);
        expect(trigrams.length).toBeLessThanOrEqual(64);
        expect(new Set(trigrams).size).toBe(trigrams.length);
        for (const trigram of trigrams) {
          expect([...trigram]).toHaveLength(3);
          expect(indexedText(q)).toContain(trigram);
        }
      }),
    );
  });
});

describe('chooseTrigrams', () => {
  const sample = Array.from(
    { length: 200 },
    (_, i) => `common text ${i % 10 === 0 ? 'rarely' : 'mostly'} ${i % 4 ? 'odd' : 'even'}`,
  );

  it('asks for what few texts have, and not for what tells no more', () => {
    expect(chooseTrigrams('rarely', sample)).toEqual({ asked: ['rar'], share: 0.1, load: 0.1 });
    const both = chooseTrigrams('rarely even', sample);
    expect(both).toMatchObject({ asked: [expect.any(String), expect.any(String)], share: 0.05 });
  });

  it('asks for several where the sample has none of them, and for one that all have', () => {
    expect(chooseTrigrams('xyz', sample)).toEqual({ asked: ['xyz'], share: 0, load: 0 });
    expect(chooseTrigrams('segmentation fault', sample).asked).toHaveLength(4);
    expect(chooseTrigrams('common', sample)).toEqual({ asked: ['com'], share: 1, load: 1 });
    expect(chooseTrigrams('anything', [])).toMatchObject({ share: 0, load: 0 });
    expect(chooseTrigrams('ab', sample)).toEqual({ asked: [], share: 1, load: 0 });
  });
});

describe('trigramRange', () => {
  it.each(['a', 'B', 'ab', '%', '"*', '\u{1f600}', 'x\u{10ffff}', '\u00e4'])('has in it what begins with %j', (q) => {
    const range = trigramRange(q);
    const bytes = (text: string) => Buffer.from(text);
    for (const rest of ['aa', '\u0001\u0001', '\u{10ffff}\u{10ffff}']) {
      const trigram = bytes([...`${q.toLowerCase()}${rest}`].slice(0, 3).join(''));
      expect(trigram.compare(bytes(range?.from ?? ''))).toBeGreaterThanOrEqual(0);
      expect(trigram.compare(bytes(range?.to ?? ''))).toBeLessThanOrEqual(0);
    }
  });

  it('is for less than a trigram', () => {
    expect(trigramRange('abc')).toBeUndefined();
  });
});
