import { describe, expect, it } from 'vitest';
import { textMatcher } from './text-matcher.ts';

describe('textMatcher', () => {
  it.each<[text: string, log: string, isFound: boolean]>([
    ['error', 'an ERROR here', true],
    ['ERROR', 'an error here', true],
    ['ä', 'Ä', false],
    ['k', '\u212A', false],
    ['s', 'ſ', false],
    ['ſ', 's', false],
    ['a.c', 'abc', false],
    ['[x]{2}^$', 'a[X]{2}^$b', true],
    ['a\nb', 'A\nB', true],
    ['', '', true],
  ])('searches %j in %j', (text, log, isFound) => {
    expect(textMatcher(text)(log)).toBe(isFound);
  });
});
