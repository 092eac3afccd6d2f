import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../test/thoroughness.ts';
import { compress } from './damage.ts';
import {
  checkFilter,
  encodeFilter,
  FilterPieces,
  hashesOfText,
  hashesOfValue,
  isInPieces,
  openFilter,
  PIECE_BYTES,
} from './gram-filter.ts';

/** The filter of some texts. */
function filterOf(texts: readonly string[], values: readonly string[] = []): Buffer {
  const list = texts.map((text) => Buffer.from(text));
  const bytes = Buffer.concat(list);
  let end = 0;
  const places = list.flatMap(({ length }) => {
    end += length;
    return [end - length, end];
  });
  return encodeFilter((filter) => {
    filter.addTexts(bytes, places);
    filter.addValues('req', values);
  });
}

/** The filter of before decision 112 with some hashes. */
function earlierFilter(log: number, hashes: readonly number[]): Buffer {
  const bits = Buffer.alloc(2 ** (log - 3));
  for (const hash of hashes) {
    const bit = hash & (2 ** log - 1);
    bits[bit >> 3] = (bits[bit >> 3] ?? 0) | (1 << (bit & 7));
  }
  return Buffer.concat([Buffer.of(log), compress(bits, 3)]);
}

const texts = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 60 });
const someTexts = Array.from({ length: 300 }, (_, i) => `upstream ${i * 7919} timed out, client: 10.${i % 250}.0.7`);

describe('a stored filter', () => {
  it('has every text and value that was added, read as a whole or by pieces', () => {
    fc.assert(
      fc.property(texts, fc.array(fc.string()), (added, values) => {
        const stored = filterOf(added, values);
        const pieces = new FilterPieces(stored.length);
        const has = openFilter(stored);
        for (const hash of [
          ...added.flatMap(hashesOfText),
          ...values.flatMap((value) => hashesOfValue('req', value)),
        ]) {
          const index = pieces.indexOf(hash);
          expect(pieces.add(index, stored.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES))).toBe(true);
          expect([has(hash), pieces.has(hash)]).toEqual([true, true]);
        }
      }),
      { numRuns: atMost(30, 300) },
    );
  });

  it('has three tenths of its bits set, in any number of pieces', () => {
    const sizes = [2_000, 3_000, 7_000].map((n) => {
      const stored = filterOf(Array.from({ length: n }, (_, i) => `${i * 7919} of ${i * 104_729} at ${i}`));
      const probes = Array.from({ length: 10_000 }, (_, i) => Math.imul(i, 0x9e3779b1) >>> 0);
      const set = probes.filter(openFilter(stored)).length / probes.length;
      expect(set).toBeGreaterThan(0.28);
      expect(set).toBeLessThan(0.32);
      return stored.length / PIECE_BYTES;
    });
    expect(sizes.every(Number.isInteger)).toBe(true);
    expect(sizes.some((pieces) => !Number.isInteger(Math.log2(pieces)))).toBe(true);
  });

  it('is noticed to be damaged by a check, and by a look-up in the damaged piece', () => {
    const stored = filterOf(someTexts);
    expect(stored.length / PIECE_BYTES).toBeGreaterThan(2);
    expect(() => checkFilter(stored)).not.toThrow();
    const inPieces = new FilterPieces(stored.length);
    const hashes = someTexts.flatMap(hashesOfText);
    const hashOf = Array.from({ length: stored.length / PIECE_BYTES }, (_, index) =>
      hashes.find((hash) => inPieces.indexOf(hash) === index),
    );
    for (let bit = 0; bit < stored.length * 8; bit += atMost(7, 1)) {
      const flipped = Buffer.from(stored);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => checkFilter(flipped)).toThrow();
      const hash = hashOf[Math.floor((bit >> 3) / PIECE_BYTES)] ?? 0;
      expect(() => openFilter(flipped)(hash)).toThrow();
    }
  });

  it('is noticed to have lost, doubled or moved pieces', () => {
    const stored = filterOf(someTexts);
    const pieces = Array.from({ length: stored.length / PIECE_BYTES }, (_, i) =>
      stored.subarray(i * PIECE_BYTES, (i + 1) * PIECE_BYTES),
    );
    const [first = stored, second = stored] = pieces;
    for (const other of [
      Buffer.concat(pieces.slice(0, -1)),
      Buffer.concat([...pieces, first]),
      Buffer.concat([second, first, ...pieces.slice(2)]),
      stored.subarray(0, -1),
    ]) {
      expect(() => checkFilter(other)).toThrow();
      expect(() => openFilter(other)(0)).toThrow();
    }
  });

  it('of a form that is not known is refused', () => {
    const stored = filterOf(['a text']);
    const sumAt = PIECE_BYTES - 4;
    const withMark = (mark: number) => {
      stored[0] = mark;
      stored.writeUInt32LE(crc32(stored.subarray(0, sumAt), 1), sumAt);
      return new FilterPieces(stored.length).add(0, stored);
    };
    expect([withMark(0x40), withMark(0x41)]).toEqual([true, false]);
    expect(() => openFilter(stored)).toThrow();
  });

  it('of the earlier form is read', () => {
    const added = someTexts.slice(0, 20);
    for (const log of [10, 14, 20]) {
      const stored = earlierFilter(log, added.flatMap(hashesOfText));
      const has = openFilter(stored);
      expect(added.every((text) => hashesOfText(text).every(has))).toBe(true);
      expect(() => checkFilter(stored)).not.toThrow();
      stored[stored.length - 1] = (stored.at(-1) ?? 0) ^ 1;
      expect(() => checkFilter(stored)).toThrow();
    }
    const absent = Array.from({ length: 100 }, (_, i) => `zebra${i}xq`);
    const has = openFilter(earlierFilter(14, added.flatMap(hashesOfText)));
    expect(absent.filter((text) => hashesOfText(text).every(has))).toEqual([]);
  });

  it('is in pieces only with a length that pieces have', () => {
    expect([0, 1, PIECE_BYTES, PIECE_BYTES + 1, 7 * PIECE_BYTES, 2 ** 24 * PIECE_BYTES].map(isInPieces)).toEqual([
      false,
      false,
      true,
      false,
      true,
      false,
    ]);
  });
});

describe('the hashes of a text', () => {
  it('are from all over it, however few are taken', () => {
    const text = `${'a'.repeat(50)}${'b'.repeat(50)}${'c'.repeat(50)}`;
    const first = new Set(hashesOfText(text));
    for (const part of ['aaaaaa', 'bbbbbb', 'cccccc']) expect(first.has(hashesOfText(part)[0] ?? 0)).toBe(true);
    const long = Array.from({ length: 40 }, (_, i) => `word${i * 7919}`).join(' ');
    const half = (from: number) => new Set(hashesOfText(long.slice(from, from + long.length / 2)));
    const some = hashesOfText(long).slice(0, 8);
    for (const part of [half(0), half(long.length / 2)])
      expect(some.filter((hash) => part.has(hash)).length).toBeGreaterThan(0);
  });
});
