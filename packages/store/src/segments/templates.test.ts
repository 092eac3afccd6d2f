import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../test/thoroughness.ts';
import { checkSegment } from '../tables/check-stored.ts';
import { DamageLog } from './damage-log.ts';
import { openFilter } from './filter-pieces.ts';
import { hashesOfText } from './gram-hashes.ts';
import { encodeSegment, type SegmentKind, type SegmentRow } from './segment.ts';
import { SegmentReader } from './segment-reader.ts';
import { LineSearch } from './text-block.ts';

const number = fc.oneof(
  fc.nat({ max: 300 }).map(String),
  fc.nat({ max: 10 ** 9 }).map(String),
  fc.bigInt({ min: 0n, max: 10n ** 17n }).map(String),
  fc.nat({ max: 999 }).map((n) => String(n).padStart(3, '0')),
);
const address = fc
  .tuple(fc.constantFrom('10', '192', '010'), fc.nat(300), fc.nat(3), fc.nat(255))
  .map((a) => a.join('.'));
const word = fc.constantFrom('GET', 'POST', '-', 'shop1.example.com', 'Z\u00fcrich', '\ud800', '%20', '');
const wild = fc.string({ unit: 'binary', maxLength: 12 });
const value = fc.oneof(number, address, word, wild);
const delimiter = fc.constantFrom(' ', ': ', '", ', '/', ', client: ', '\n', '\0', ' = ');

/** A form of lines: what stands before each value, and how values are chosen. */
const form = fc.record({
  parts: fc.array(fc.tuple(delimiter, fc.oneof(number, address, word, wild)), { maxLength: 6 }),
  lines: fc.array(fc.array(value, { minLength: 6, maxLength: 6 }), { minLength: 1, maxLength: 6 }),
  times: fc.integer({ min: 1, max: 12 }),
  constants: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
});

/** Lines of some forms, some of which have enough lines for a template. */
const logs = fc
  .array(form, { minLength: 1, maxLength: 4 })
  .map((forms) =>
    forms.flatMap(({ parts, lines, times, constants }) =>
      Array.from({ length: times }, (_, round) =>
        lines.map((values) =>
          parts
            .map(([before, own], i) => before + (constants[i] ? own : `${values[i]}${round % 3 === i ? round : ''}`))
            .join(''),
        ),
      ).flat(),
    ),
  );

const group = { id: 1, level: 4, src: 0, appId: 0, service: '' };
const rowOf = (texts: readonly string[], kind: SegmentKind = 'packed'): SegmentRow =>
  encodeSegment([{ group, lines: texts.map((log, i) => ({ id: i + 1, time: i, count: 1, reqId: '', log })) }], kind);

const readAll = (reader: SegmentReader, texts: readonly string[]) => texts.map((_, place) => reader.log(place));

/** Places of the lines that a search finds. */
function found(row: SegmentRow, text: string): Set<number> {
  const places = new Set<number>();
  for (const block of new SegmentReader(row).blocks) {
    block.search(new LineSearch([text]), (at) => places.add(block.places[at] as number));
  }
  return places;
}

describe('lines by template', () => {
  it('come back byte for byte, whatever they are', () => {
    fc.assert(
      fc.property(logs, (texts) => {
        const wanted = texts.map((text) => text.toWellFormed());
        const reader = new SegmentReader(rowOf(texts));
        expect(readAll(reader, texts)).toEqual(wanted);
        const { bytes, starts } = reader.texts();
        expect(wanted.map((_, i) => bytes.toString('utf8', starts[i], starts[i + 1]))).toEqual(wanted);
      }),
      { numRuns: atMost(60, 1_000) },
    );
  });

  it('are found by every part of their texts, in any case of ASCII letters', () => {
    fc.assert(
      fc.property(logs, fc.nat(), fc.nat(), fc.nat(), (texts, which, from, length) => {
        const text = (texts[which % texts.length] as string).toWellFormed();
        const units = [...text];
        const at = from % Math.max(1, units.length);
        const part = units.slice(at, at + 1 + (length % 30)).join('');
        if (part === '') return;
        const row = rowOf(texts);
        expect(hashesOfText(part).every(openFilter(row.filter).has)).toBe(true);
        const places = found(
          row,
          part.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase()),
        );
        for (const [place, log] of texts.entries())
          if (log.toWellFormed().includes(part)) expect(places).toContain(place);
      }),
      { numRuns: atMost(200, 3_000) },
    );
  });

  it('are found among few others', () => {
    const texts = Array.from(
      { length: 200 },
      (_, i) =>
        `client: 10.0.${i % 7}.${i}, request: "GET /orders/${i * 37} HTTP/1.1", host: "shop${i % 5}.example.com"`,
    );
    const row = rowOf(texts);
    const searches = [
      'orders/370 H',
      '10.0.3.3,',
      'shop3.example.com',
      ' 10.0.1.',
      '/37',
      'nobody',
      '5, REQUEST: "get /',
    ];
    for (const text of searches) {
      const others = [...found(row, text)].filter((at) => !texts[at]?.toLowerCase().includes(text.toLowerCase()));
      expect([text, others.length < 60]).toEqual([text, true]);
    }
  });

  it('never come back with a flipped bit unnoticed', () => {
    const texts = Array.from({ length: 60 }, (_, i) =>
      i % 3 === 0
        ? `"${'x'.repeat(i)}" ${i}!`
        : `client: 10.0.0.${i}, id=${i * 7919}, state: ${i % 4 === 0 ? 'up' : 'down'}`,
    );
    const whole = rowOf(texts);
    const content = new SegmentReader(whole).content();
    expect(content.flatMap(({ lines }) => lines.map(({ log }) => log))).toEqual(texts);
    for (const part of ['texts', 'numbers', 'groups', 'filter'] as const) {
      for (let at = 0; at < whole[part].length; at += 1) {
        const bytes = Buffer.from(whole[part]);
        bytes[at] = (bytes[at] as number) ^ (1 << (at % 8));
        const damage = new DamageLog();
        const flipped = { ...whole, [part]: bytes };
        checkSegment(flipped, damage);
        // A few bits of a compressed part change nothing that is read.
        if (damage.segments.length === 0)
          expect([part, at, new SegmentReader(flipped).content()]).toEqual([part, at, content]);
      }
    }
  });

  it('are read from segments of the form before', () => {
    const texts = Array.from({ length: 40 }, (_, i) => `client: 10.0.0.${i}, ${'\u00e9'.repeat(20_000)}`);
    const reader = new SegmentReader(rowOf(texts, 'fresh'));
    expect(reader.blocks.length).toBeGreaterThan(1);
    expect(readAll(reader, texts)).toEqual(texts);
  });
});
