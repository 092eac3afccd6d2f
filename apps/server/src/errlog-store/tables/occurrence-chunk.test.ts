import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../../../../packages/core/test/any-character.ts';
import { packOccurrences } from '../../../test/old-chunks.ts';
import { type Occurrence, unpackOccurrences } from './occurrence-chunk.ts';

const FROM = 1_750_000_000;

/** Stored text has no lone surrogates. */
const anyText = fc.oneof(
  fc.string({ unit: ANY_CHARACTER }),
  fc.string({ unit: 'grapheme' }),
  // Both of these share a half of their two with the others.
  fc
    .array(fc.constantFrom('\u{1f600}', '\u{1f601}', '\u{1fa00}', '\u{10ffff}', 'a', '"', '\\'), { maxLength: 6 })
    .map((parts) => parts.join('')),
);
/** Texts that share much, as those of one group do. */
const alike = fc
  .tuple(anyText, anyText)
  .chain(([front, back]) =>
    fc
      .array(fc.oneof(anyText, fc.constant('')), { minLength: 1, maxLength: 8 })
      .map((middles) => middles.map((middle) => front + middle + back)),
  );
const texts = fc.oneof(alike, fc.array(anyText, { minLength: 1, maxLength: 8 }));
const fields = fc.option(fc.dictionary(fc.string(), fc.string(), { maxKeys: 3, noNullPrototype: true }), {
  nil: undefined,
});
const occurrences: fc.Arbitrary<Occurrence[]> = texts.chain((logs) =>
  fc.tuple(
    ...logs.map((log) =>
      fc.record({
        time: fc.integer({ min: FROM, max: FROM + 1e9 }),
        reqId: fc.oneof(fc.constant(''), anyText),
        count: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 1e9 })),
        log: fc.constant(log),
        fields,
      }),
    ),
  ),
);

const of = (log: string, more: Partial<Occurrence> = {}): Occurrence => ({
  time: FROM,
  reqId: '',
  count: 1,
  log,
  fields: undefined,
  ...more,
});
const roundTrip = (list: readonly Occurrence[]) => unpackOccurrences(packOccurrences(list, FROM), FROM);

/** As a whole, and each text in it. */
function expectWellFormed(data: string): void {
  const parts: unknown[] = JSON.parse(data).flat();
  const texts = [data, ...parts.filter((part) => typeof part === 'string')];
  expect(texts.filter((part) => !part.isWellFormed())).toEqual([]);
}

describe('packOccurrences', () => {
  it('is undone by unpackOccurrences, whatever the texts', () => {
    fc.assert(
      fc.property(occurrences, (list) => {
        expect(roundTrip(list)).toEqual(list);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is well-formed Unicode without a NUL of its own: PostgreSQL takes nothing else', () => {
    fc.assert(
      fc.property(occurrences, (list) => {
        const data = packOccurrences(list, FROM);
        expect(data).not.toContain('\u0000');
        expectWellFormed(data);
      }),
    );
  });

  it.each([
    ['the same text', 'a b c', 'a b c'],
    ['one that goes on', 'a b', 'a b c'],
    ['one that stops early', 'a b c', 'a b'],
    ['one within the other', 'aXa', 'aa'],
    ['overlapping ends', 'aaaa', 'aa'],
    ['overlapping ends, longer', 'aa', 'aaaa'],
    ['nothing in common', 'abc', 'xyz'],
    ['an empty one', 'abc', ''],
    ['an empty first', '', 'abc'],
    ['pairs with the same first half', 'x \u{1f600} y', 'x \u{1f601} y'],
    ['pairs with the same second half', 'x \u{1f600} y', 'x \u{1fa00} y'],
    ['a pair at either end', '\u{1f600}a\u{1f600}', '\u{1f601}a\u{1fa00}'],
    ['the half of a pair alone, in common', '\u{1f600}', '\u{1f600}\u{1f600}'],
    ['quotes and backslashes', '"\\"', '"\\\\"'],
  ])('keeps %s', (_, first, second) => {
    const list = [of(first), of(second, { time: FROM + 7 }), of(second, { reqId: 'r', count: 3 }), of(first)];
    expect(roundTrip(list)).toEqual(list);
    expectWellFormed(packOccurrences(list, FROM));
  });

  it('stores once what texts share, at both ends', () => {
    const front = 'upstream timed out while reading the response header '.repeat(4);
    const back = ', server: example.org, request: "GET / HTTP/1.1"'.repeat(3);
    const list = Array.from({ length: 100 }, (_, i) => of(`${front}from 10.0.0.${i}${back}`, { time: FROM + i }));
    const plain = list.reduce((sum, { log }) => sum + log.length, 0);
    const { length } = packOccurrences(list, FROM);
    expect(length).toBeLessThan(plain / 15);
    expect(roundTrip(list)).toEqual(list);
  });

  it('takes a dozen characters for one more of the same', () => {
    const list = Array.from({ length: 1_000 }, (_, i) => of('x'.repeat(500), { time: FROM + i }));
    expect(packOccurrences(list, FROM).length).toBeLessThan(500 + 1_000 * 7);
    expect(roundTrip(list)).toEqual(list);
  });

  it('packs nothing as nothing', () => {
    expect(roundTrip([])).toEqual([]);
  });
});
