import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../test/thoroughness.ts';
import { openFilter } from './filter-pieces.ts';
import { hashesOfText, hashesOfValue } from './gram-hashes.ts';
import { encodeSegment, type GroupLines, type SegmentLine } from './segment.ts';
import { SegmentReader } from './segment-reader.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }),
  fc.nat({ max: 9 }).map((n) => `upstream ${n} timed out, client: 10.0.0.${n}`),
);
const fields = fc.option(
  fc.dictionary(fc.constantFrom('pid', 'client', '__proto__', 'x'), fc.string({ minLength: 1, maxLength: 5 })),
  { nil: undefined },
);
const line = fc.record({
  group: fc.nat({ max: 6 }),
  gap: fc.nat({ max: 3 }),
  time: fc.nat({ max: 4_000_000_000 }),
  count: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 1_000_000_000 })),
  reqId: fc.oneof(fc.constant(''), fc.string({ maxLength: 12 })),
  log: text,
  fields,
});

/** Random lines by group, with rising ids. */
const content = fc.array(line, { minLength: 1, maxLength: 120 }).map((lines): GroupLines[] => {
  const byGroup = new Map<number, SegmentLine[]>();
  let id = 7;
  for (const { group, gap, ...rest } of lines) {
    id += 1 + gap;
    const list = byGroup.get(group) ?? [];
    byGroup.set(group, list);
    const has = rest.fields !== undefined && Object.keys(rest.fields).length > 0;
    list.push({ ...rest, id, fields: has ? rest.fields : undefined });
  }
  return [...byGroup].map(([n, list]) => ({
    group: { id: 2 ** 40 + n, level: n, src: n * 3, appId: n === 0 ? 2 ** 31 - 1 : n, service: `s${n % 3}` },
    lines: list,
  }));
});

const sorted = (parts: readonly GroupLines[]) => [...parts].sort((a, b) => a.group.id - b.group.id);

describe('a segment', () => {
  it('has the lines that it was made of', () => {
    fc.assert(
      fc.property(content, fc.constantFrom('fresh' as const, 'packed' as const), (parts, kind) => {
        const row = encodeSegment(parts, kind);
        const reader = new SegmentReader(row);
        const read = reader.content().map(({ group: { id, level, src, appId, service }, lines }) => ({
          group: { id, level, src, appId, service },
          lines,
        }));
        expect(read).toEqual(sorted(parts));
        const lines = parts.flatMap((part) => part.lines);
        expect(row.n).toBe(lines.length);
        expect(row.bytes).toBe(lines.reduce((sum, { log }) => sum + Buffer.byteLength(log), 0));
        expect([row.from_time, row.to_time]).toEqual([
          Math.min(...lines.map(({ time }) => time)),
          Math.max(...lines.map(({ time }) => time)),
        ]);
        const arrived = [...reader.numbers.arrival].map((place) => reader.numbers.id[place]);
        expect(arrived).toEqual(lines.map(({ id }) => id).sort((a, b) => a - b));
        expect([row.id, row.last_id]).toEqual([arrived[0], arrived.at(-1)]);
        for (const [i, { count, n, from, to }] of reader.groups.entries()) {
          const own = sorted(parts)[i]?.lines ?? [];
          expect({ count, n, from, to }).toEqual({
            count: own.reduce((sum, one) => sum + one.count, 0),
            n: own.length,
            from: Math.min(...own.map(({ time }) => time)),
            to: Math.max(...own.map(({ time }) => time)),
          });
        }
      }),
      { numRuns: atMost(30, 100) },
    );
  });

  it('splits its texts into blocks at lines', () => {
    const group = { id: 1, level: 4, src: 0, appId: 0, service: '' };
    const lines = Array.from({ length: 300 }, (_, i) => ({
      id: i,
      time: i,
      count: 1,
      reqId: '',
      log: `${i} ${'\u00e9'.repeat(4_000)}`,
    }));
    const reader = new SegmentReader(encodeSegment([{ group, lines }], 'fresh'));
    expect(reader.blocks.length).toBeGreaterThan(3);
    expect(lines.map((_, i) => reader.log(i))).toEqual(lines.map(({ log }) => log));
    expect(reader.log(0)).toBe(lines[0]?.log);
  });
});

describe('the filter of a segment', () => {
  it('never denies a text or a value that is there, in any case of ASCII letters', () => {
    fc.assert(
      fc.property(content, fc.nat(), fc.nat(), (parts, from, length) => {
        const { has } = openFilter(encodeSegment(parts, 'packed').filter);
        for (const { log, reqId, fields: own } of parts.flatMap((part) => part.lines)) {
          const bytes = [...log];
          const at = from % bytes.length;
          const part = bytes.slice(at, at + 1 + (length % 20)).join('');
          const sought = part.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase());
          expect(hashesOfText(sought).every(has)).toBe(true);
          if (reqId !== '') expect(hashesOfValue('req', reqId).every(has)).toBe(true);
          for (const [name, value] of Object.entries(own ?? {}))
            expect(hashesOfValue(name, value).every(has)).toBe(true);
        }
      }),
      { numRuns: atMost(30, 100) },
    );
  });

  it('denies most texts that are not there', () => {
    const group = { id: 1, level: 4, src: 0, appId: 0, service: '' };
    const lines = Array.from({ length: 2_000 }, (_, i) => ({
      id: i,
      time: i,
      count: 1,
      reqId: `req${i}`,
      log: `upstream timed out, client: 10.${i % 250}.${(i * 7) % 250}.7, request: "GET /orders/${i * 31}"`,
    }));
    const { has } = openFilter(encodeSegment([{ group, lines }], 'packed').filter);
    const absent = Array.from({ length: 1_000 }, (_, i) => `zebra${i}xq`);
    expect(absent.filter((text) => hashesOfText(text).every(has)).length).toBe(0);
    const requests = Array.from({ length: 1_000 }, (_, i) => `other${i}`);
    expect(requests.filter((id) => hashesOfValue('req', id).every(has)).length).toBeLessThan(400);
  });

  it('denies most texts that are not there among many different ones that begin alike', () => {
    const group = { id: 1, level: 4, src: 0, appId: 0, service: '' };
    const random = (seed: number) => createHash('sha512').update(String(seed)).digest('base64');
    const lines = Array.from({ length: 12_000 }, (_, i) => ({
      id: i,
      time: i,
      count: 1,
      reqId: '',
      log: `token ${random(i)}${random(i + 100_000)}`,
    }));
    const { has } = openFilter(encodeSegment([{ group, lines }], 'packed').filter);
    const some = lines.filter((_, i) => i % 120 === 0);
    expect(some.every(({ log }) => hashesOfText(log).every(has))).toBe(true);
    // Two grams of six bytes each: a filter of which two fifths of the bits are set would have about 170 of them.
    const absent = Array.from({ length: 1_000 }, (_, i) => random(i + 500_000).slice(0, 7));
    expect(absent.filter((text) => hashesOfText(text).every(has)).length).toBeLessThan(100);
  });
});
