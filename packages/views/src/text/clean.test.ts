import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../../core/test/any-character.ts';
import { clean, cleanJson, cleanLines } from './clean.ts';

// Any text, with more hostile characters than chance would give.
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: ANY_CHARACTER }),
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(
        '\u001B[2J',
        '\u001B]0;x\u0007',
        '\u009B31m',
        '\u202E',
        '\u200D',
        '\uFE0F',
        '\u0301',
        '\uD800',
        '\u2028',
        '\t',
        '\r\n',
        '\u007F',
        '\u{E0001}',
      ),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(''));

const UNSAFE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

describe('clean', () => {
  it.each([
    ['plain text', 'plain text'],
    ['', ''],
    ['\u001B[31mred', '␛[31mred'],
    ['a\tb\r\nc', 'a␉b␍␊c'],
    ['bell\u0007 del\u007F nul\u0000', 'bell␇ del␡ nul␀'],
    ['\u009B2J', '·2J'],
    ['\u202Egnp.exe\u202C', '·gnp.exe·'],
    ['zero\u200Bwidth\uFEFF', 'zero·width·'],
    ['a\u2028b\u2029c\u0085d', 'a·b·c·d'],
    ['\uD83D alone', '· alone'],
    ['残高不足', '残高不足'],
    ['❤\uFE0F', '❤'],
    ['👩\u200D💻', '👩·💻'],
    ['e\u0301', 'e\u0301'],
    ['\u0301leading', '·leading'],
    [`e${'\u0301'.repeat(50)}x`, `e${'\u0301'.repeat(4)}·x`],
  ])('turns %j into %j', (text, expected) => {
    expect(clean(text)).toBe(expected);
  });

  it('leaves no control sequence', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(clean(text)).not.toMatch(UNSAFE);
        expect(clean(text).isWellFormed()).toBe(true);
      }),
    );
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(clean(clean(text))).toBe(clean(text));
      }),
    );
  });

  it('keeps ordinary text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'abc äöü ß 東京 Ωλ ñ €“”—') }), (text) => {
        expect(clean(text)).toBe(text);
      }),
    );
  });
});

describe('cleanLines', () => {
  it('keeps line breaks and no other control characters', () => {
    expect(cleanLines('a\nb\r\nc\rd\u2028e\tf')).toEqual(['a', 'b', 'c', 'd', 'e␉f']);
  });
});

describe('cleanJson', () => {
  it('is safe to print and parses to the same value', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const json = cleanJson(JSON.stringify({ text }, null, 2));
        expect(json.replaceAll('\n', '')).not.toMatch(UNSAFE);
        expect(JSON.parse(json)).toEqual({ text });
      }),
    );
  });
});
