import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../test/thoroughness.ts';
import quickWidth from './quick-width.ts';

const piece = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '│ ▁⣿ é …',
    '\u001B[31m',
    '\u001B[38;2;1;2;3m',
    '\u001B[m',
    '\u001B[2J',
    '\u001B]8;;x\u0007',
    '漢',
    '👍🏽',
    'e\u0301',
  ),
);

describe('the quick width', () => {
  it('is the width', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const text = pieces.join('');
        expect(quickWidth(text)).toBe(stringWidth(text));
      }),
      { numRuns: atMost(500, 2_000) },
    );
  });
});
