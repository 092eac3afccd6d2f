// An arbitrary of characters for the tests with fast-check.
import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };

/**
 * Any code point but surrogates, for `fc.string({ unit })`. The unit `binary` of fast-check gives the same, but maps
 * all 1,112,064 code points first, which takes a second and more memory than most tests.
 */
export const ANY_CHARACTER = fc.nat(0x10_ffff - SURROGATES.count).map(
  (n) => String.fromCodePoint(n < SURROGATES.first ? n : n + SURROGATES.count),
  (character) => {
    const code = typeof character === 'string' ? character.codePointAt(0) : undefined;
    if (code === undefined || String.fromCodePoint(code) !== character) throw new Error('Not one character');
    if (code < SURROGATES.first) return code;
    if (code < SURROGATES.first + SURROGATES.count) throw new Error('A surrogate');
    return code - SURROGATES.count;
  },
);
