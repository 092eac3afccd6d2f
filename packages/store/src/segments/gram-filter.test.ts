import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../test/thoroughness.ts';
import { compress } from './damage.ts';
import { checkFilter, FilterPieces, isInPieces, openFilter, PIECE_BYTES } from './filter-pieces.ts';
import { encodeFilter } from './gram-filter.ts';
import { hashesOfAddress, hashesOfText, hashesOfValue } from './gram-hashes.ts';

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
        const { has } = openFilter(stored);
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
      const set = probes.filter(openFilter(stored).has).length / probes.length;
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
      expect(() => openFilter(flipped).has(hash)).toThrow();
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
      expect(() => openFilter(other).has(0)).toThrow();
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
    expect([0x3f, 0x40, 0x41, 0x42].map(withMark)).toEqual([false, true, true, false]);
    expect(() => openFilter(stored)).toThrow();
  });

  it('says whether it has addresses once a piece is read, and takes no piece of another form', () => {
    const stored = filterOf(someTexts);
    const count = stored.length / PIECE_BYTES;
    const pieceOf = (index: number, mark: number) => {
      const piece = Buffer.from(stored.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES));
      piece[0] = mark;
      piece.writeUInt32LE(crc32(piece.subarray(0, PIECE_BYTES - 4), index * 2 ** 16 + count), PIECE_BYTES - 4);
      return piece;
    };
    for (const [mark, other] of [
      [0x40, 0x41],
      [0x41, 0x40],
    ] as const) {
      const filter = new FilterPieces(stored.length);
      expect(filter.hasAddresses).toBeUndefined();
      expect(filter.add(1, pieceOf(1, mark))).toBe(true);
      expect(filter.hasAddresses).toBe(mark === 0x41);
      expect([filter.add(0, pieceOf(0, other)), filter.add(0, pieceOf(0, mark))]).toEqual([false, true]);
      const all = Array.from({ length: count }, (_, index) => pieceOf(index, mark));
      expect(openFilter(Buffer.concat(all)).hasAddresses).toBe(mark === 0x41);
      expect(() => checkFilter(Buffer.concat(all))).not.toThrow();
      expect(() => checkFilter(Buffer.concat([pieceOf(0, other), ...all.slice(1)]))).toThrow();
    }
    expect(openFilter(earlierFilter(10, [])).hasAddresses).toBe(false);
  });

  it('of the earlier form is read', () => {
    const added = someTexts.slice(0, 20);
    for (const log of [10, 14, 20]) {
      const stored = earlierFilter(log, added.flatMap(hashesOfText));
      const { has } = openFilter(stored);
      expect(added.every((text) => hashesOfText(text).every(has))).toBe(true);
      expect(() => checkFilter(stored)).not.toThrow();
      stored[stored.length - 1] = (stored.at(-1) ?? 0) ^ 1;
      expect(() => checkFilter(stored)).toThrow();
    }
    const absent = Array.from({ length: 100 }, (_, i) => `zebra${i}xq`);
    const { has } = openFilter(earlierFilter(14, added.flatMap(hashesOfText)));
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

describe('the addresses of a filter', () => {
  const ofTexts = (list: readonly string[]) => {
    const bytes = Buffer.from(list.join(''));
    let end = 0;
    const places = list.flatMap((text) => {
      const from = end;
      end += Buffer.byteLength(text);
      return [from, end];
    });
    const { has } = openFilter(encodeFilter((filter) => filter.addTexts(bytes, places)));
    return (address: string) => hashesOfAddress(address)?.every(has);
  };

  it('are those that are whole ASCII tokens, wherever they are', () => {
    const address = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)).map((parts) => parts.join('.'));
    const other = fc.constantFrom(' ', '"', ':', ', ', '/', 'é', '\u00a0', '\n', 'x', '.', '1', '-', 'client', '12.5 ');
    fc.assert(
      fc.property(fc.array(fc.array(fc.oneof(address, other), { maxLength: 9 })), (lists) => {
        const all = lists.map((list) => list.join(''));
        const has = ofTexts(all);
        const tokens = all.flatMap((text) => text.match(/[\w.%+~@-]+/g) ?? []);
        for (const token of tokens) if (hashesOfAddress(token) !== undefined) expect(has(token)).toBe(true);
      }),
      { numRuns: atMost(300, 3_000) },
    );
    // The shortest ones, in front of and behind each other, at each place of a text.
    for (let length = 0; length < 20; length += 1) {
      const start = `${'x'.repeat(length)} `;
      const has = ofTexts([`${start}1.1.1.1 2.2.2.2,5 3.3.3.3`, '4.4.4.4']);
      expect(['1.1.1.1', '2.2.2.2', '3.3.3.3', '4.4.4.4'].map(has)).toEqual([true, true, true, true]);
    }
  });

  it('are none that are parts of longer tokens', () => {
    const longer = ['192.0.2.12', '1192.0.2.1', '192.0.2.1.5', 'a192.0.2.1', '192.0.2.1-5', '%192.0.2.1', '192.0.2.1x'];
    expect(longer.map((text) => ofTexts([`, ${text}, `])('192.0.2.1'))).toEqual(longer.map(() => false));
    expect(ofTexts(['192.0.2.', '1'])('192.0.2.1')).toBe(false);
  });

  it('are values, too', () => {
    const values = ['192.0.2.1', '198.51.100.9:443', 'up', '203.0.113.255', '1234567'];
    const { has } = openFilter(encodeFilter((filter) => filter.addValues('peer', values)));
    const isThere = (value: string) => hashesOfAddress(value)?.every(has);
    expect(values.map(isThere)).toEqual([true, undefined, undefined, true, undefined]);
    expect(isThere('198.51.100.9')).toBe(false);
  });

  it('have one form', () => {
    const others = ['192.0.2', '192.0.2.256', '192.0.02.1', '192.0.2.1 ', '192.0.2.1:443', '1.2.3.4.5', '::1', ''];
    expect(others.map(hashesOfAddress)).toEqual(others.map(() => undefined));
    expect(hashesOfAddress('255.255.255.255')).toHaveLength(3);
    expect(hashesOfAddress('0.0.0.0')).toHaveLength(3);
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
