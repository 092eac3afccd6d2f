import { crc32 } from 'node:zlib';
import { nameOfField } from '@quarterdeck/core/filter';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../test/thoroughness.ts';
import { openFilter, PIECE_BYTES } from '../segments/filter-pieces.ts';
import { hashesOfAddress } from '../segments/gram-hashes.ts';
import { encodeSegment } from '../segments/segment.ts';
import { allFields } from '../tables/occurrence-fields.ts';
import { planQuery } from './line-plan.ts';
import { hasNeeded } from './needed-hashes.ts';

interface SentLine {
  readonly log: string;
  readonly fields?: Record<string, string>;
}

const group = { id: 1, level: 4, src: 0, appId: 0, service: '' };
const filterOf = (lines: readonly SentLine[]): Uint8Array =>
  encodeSegment(
    [{ group, lines: lines.map((line, i) => ({ id: i + 1, time: i, count: 1, reqId: '', ...line })) }],
    'packed',
  ).filter;

/** Tells whether a search for values of a field would open the segment of a filter. */
function mayHave(stored: Uint8Array, name: string, ...values: string[]): boolean {
  const filter = { kind: 'field', field: nameOfField(name), test: { op: 'equals', values } } as const;
  const { needed } = planQuery({ filter }, 0);
  return needed === undefined || hasNeeded(needed, openFilter(stored)) !== false;
}

const address = fc
  .tuple(fc.constantFrom('10', '198', '8'), fc.nat(255), fc.nat(3), fc.nat(255))
  .map((parts) => parts.join('.'));

/** Texts around an address in a value. */
const around = fc.constantFrom(
  ['', ''],
  ['', ''],
  ['"', '"'],
  ['"', ''],
  ['', '"'],
  ['', ':443'],
  ['unix:', ''],
  ['"http://', ':80/a"'],
  ['', ' '],
  ['', '\t\u000b'],
  ['', '\u00a0'],
  ['"', '\u3000"'],
  ['\ufeff', '\ufeff'],
  ['é', ''],
  ['', ' [cut: 12 bytes]'],
  ['X', ''],
  ['', '.'],
  ['"", ', ''],
  ['\u001b[', 'm'],
  ['', '\r'],
  ['', '\n'],
);
const before = fc.constantFrom(
  ', client: ',
  ', server: ',
  ', upstream: ',
  ', host: ',
  ', x: ',
  ', ',
  ' stack traceback:',
  ' stack traceback: \u00a0',
  'peer ',
);
const spare = Array.from({ length: 5 }, () => address);

/** Lines of one form: some addresses are the same in all of them. */
const form = fc
  .record({
    parts: fc.array(fc.tuple(before, around, fc.boolean()), { maxLength: 5 }),
    common: fc.tuple(...spare),
    lines: fc.array(fc.tuple(...spare), { minLength: 1, maxLength: 8 }),
    times: fc.integer({ min: 1, max: 6 }),
    stored: fc.option(fc.constantFrom('peer', 'client', 'req'), { nil: undefined }),
  })
  .map(({ parts, common, lines, times, stored }) =>
    Array.from({ length: times }, () =>
      lines.map((own): SentLine => {
        const context = parts.map(([name, [left, right], isCommon], i) =>
          [name, left, (isCommon ? common : own)[i], right].join(''),
        );
        const log = `failed, client: ${own[4]}, server: a${context.join('')}`;
        return stored === undefined ? { log } : { log, fields: { [stored]: own[0] as string } };
      }),
    ).flat(),
  );

/** The filter without the mark of filters that have addresses. */
function withoutMark(stored: Uint8Array): Uint8Array {
  const count = stored.length / PIECE_BYTES;
  const earlier = Buffer.from(stored);
  for (let index = 0; index < count; index += 1) {
    const piece = earlier.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES);
    piece[0] = 0x40;
    piece.writeUInt32LE(crc32(piece.subarray(0, PIECE_BYTES - 4), index * 2 ** 16 + count), PIECE_BYTES - 4);
  }
  return earlier;
}

describe('a search for a field that is an address', () => {
  it('opens each segment that has it, wherever it is in a line', () => {
    let found = 0;
    fc.assert(
      fc.property(fc.array(form, { minLength: 1, maxLength: 3 }), (forms) => {
        const lines = forms.flat();
        const stored = filterOf(lines);
        for (const { log, fields } of lines) {
          for (const [name, value] of Object.entries(allFields(fields, log))) {
            if (hashesOfAddress(value) === undefined) continue;
            found += 1;
            expect([log, name, mayHave(stored, name, '192.0.2.7', value)]).toEqual([log, name, true]);
          }
        }
      }),
      { numRuns: atMost(200, 2_000) },
    );
    expect(found).toBeGreaterThan(1_000);
  });

  it('opens few others', () => {
    const addressAt = (i: number) => `10.${(i * 7919) % 251}.${(i * 104_729) % 241}.${(i * 31) % 239}`;
    const lines = Array.from({ length: 8_000 }, (_, i) => ({
      log: `failed, client: ${addressAt(i)}, server: a, host: "shop${i}.example.com"`,
      fields: { peer: `172.16.${i % 250}.${i % 7}` },
    }));
    const stored = filterOf(lines);
    expect([mayHave(stored, 'client', addressAt(77)), mayHave(stored, 'peer', '172.16.7.0')]).toEqual([true, true]);
    const absent = Array.from({ length: 1_000 }, (_, i) => addressAt(i + 8_000));
    const opened = (filter: Uint8Array) => absent.filter((value) => mayHave(filter, 'client', value)).length;
    expect(opened(stored)).toBeLessThan(60);
    // Without addresses their grams are asked, many of which are there.
    expect(opened(withoutMark(stored))).toBeGreaterThan(120);
  });
});
