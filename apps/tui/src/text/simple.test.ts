import { clean, isSimple } from '@quarterdeck/views/text';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { width } from './width.ts';

/** Every simple character. */
const SIMPLE = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code)).filter(isSimple);
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}\p{M}\p{Default_Ignorable_Code_Point}\p{Emoji_Presentation}]/u;

describe('simple text', () => {
  it('is many characters', () => {
    expect(SIMPLE.length).toBeGreaterThan(1_000);
  });

  it('has one column for each character in every measure', () => {
    for (const character of SIMPLE) {
      expect(stringWidth(character), character).toBe(1);
      expect(width(character)).toBe(1);
    }
    // Simple characters do not join either.
    const all = SIMPLE.join('');
    expect([...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(all)]).toHaveLength(SIMPLE.length);
  });

  it('is not changed by clean', () => {
    for (const character of SIMPLE) {
      expect(character).not.toMatch(UNSAFE);
      expect(clean(character)).toBe(character);
    }
  });

  it.each(['', 'plain', '│ ▁▂▃ ⣿ é …'])('is %j', (text) => expect(isSimple(text)).toBe(true));

  it.each(['\u001B[m', 'e\u0301', '漢', '👍', '\u00AD', '\u200B', '\u202E', '\u0085', '\n'])('is not %j', (text) =>
    expect(isSimple(text)).toBe(false),
  );
});
