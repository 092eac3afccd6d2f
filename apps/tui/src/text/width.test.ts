import { clean } from '@quarterdeck/views/text';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../../../packages/core/test/any-character.ts';
import { cut, fit, take, width, wrap } from './width.ts';

const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: ANY_CHARACTER })).map(clean);
const columns = fc.integer({ min: 1, max: 40 });

describe('width', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['東京', 4],
    ['e\u0301', 1],
    ['👍', 2],
    // Some terminals draw it in two columns, others in four; the width is never less than either.
    ['👍🏽', 4],
    ['हिन्दी', 5],
    ['…', 1],
  ])('of %j is %i', (value, expected) => {
    expect(width(value)).toBe(expected);
  });

  it('is never less than what Ink measures', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(width(value)).toBeGreaterThanOrEqual(stringWidth(value));
      }),
    );
  });
});

describe('cut', () => {
  it.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['abcdef', 1, '…'],
    ['abcdef', 0, ''],
    ['東京都', 5, '東京…'],
    ['東京都', 4, '東…'],
  ])('of %j to %i is %j', (value, room, expected) => {
    expect(cut(value, room)).toBe(expected);
  });

  it('returns the text or a beginning of it that fits', () => {
    fc.assert(
      fc.property(text, columns, (value, room) => {
        const shown = cut(value, room);
        expect(width(shown)).toBeLessThanOrEqual(room);
        expect(shown === value || (shown.endsWith('…') && value.startsWith(shown.slice(0, -1)))).toBe(true);
      }),
    );
  });
});

describe('fit', () => {
  it('fills on the chosen side', () => {
    expect(fit('ab', 4)).toBe('ab  ');
    expect(fit('ab', 4, 'right')).toBe('  ab');
  });

  it('has exactly the width', () => {
    fc.assert(
      fc.property(text, columns, (value, room) => {
        expect(width(fit(value, room))).toBe(room);
      }),
    );
  });
});

describe('take', () => {
  it('returns the width it took', () => {
    fc.assert(
      fc.property(text, columns, (value, room) => {
        const { head, used } = take(value, room);
        expect(width(head)).toBe(used);
        expect(used).toBeLessThanOrEqual(room);
      }),
    );
  });
});

describe('wrap', () => {
  it.each([
    ['one two three', 7, ['one two', 'three']],
    ['one two three', 5, ['one', 'two', 'three']],
    ['abcdefgh', 3, ['abc', 'def', 'gh']],
    ['', 5, ['']],
    ['東京都庁', 4, ['東京', '都庁']],
    ['東', 1, ['…']],
  ])('of %j to %i is %j', (value, room, expected) => {
    expect(wrap(value, room)).toEqual(expected);
  });

  it('fits each row and loses only blanks', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 4, max: 40 }), (value, room) => {
        const rows = wrap(value, room);
        for (const row of rows) expect(width(row)).toBeLessThanOrEqual(room);
        const letters = (line: string): string => line.replaceAll(/\s/gu, '');
        if (!rows.includes('…')) expect(letters(rows.join(''))).toBe(letters(value));
      }),
    );
  });
});
