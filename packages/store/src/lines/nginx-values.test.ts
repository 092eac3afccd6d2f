import { nginxFields } from '@quarterdeck/core/lines';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../test/thoroughness.ts';
import { encodeSegment } from '../segments/segment.ts';
import { SegmentReader } from '../segments/segment-reader.ts';
import { countBlock } from './context-values.ts';
import { ContextReader, UNSURE } from './nginx-values.ts';
import { ValueCounts } from './value-counts.ts';

const NAMES = ['client', 'server', 'request', 'host', 'request_id', 'req_id', 'x'];

/** Values of a field by line; undefined where `nginxFields` must decide. */
function read(logs: readonly string[], name: string): (string | undefined)[] {
  const context = new ContextReader(name);
  return logs.map((log) => {
    // Between other bytes, as in a block.
    const bytes = Buffer.from(`"${log}, client: `);
    const end = bytes.length - ', client: '.length;
    const from = context.read(bytes, 1, end);
    if (from === UNSURE) return undefined;
    return from < 0 ? '' : bytes.toString('utf8', from, context.valueEnd);
  });
}

const expected = (log: string, name: string) =>
  log.includes(', client: ') ? (nginxFields(log, 0, 0)?.[name] ?? '') : '';

/** Pieces that together make lines of nginx, and lines that look like some. */
const piece = fc.oneof(
  fc.constantFrom(', client: 10.0.0.1', ', server: a', ', host: "b"', ', request: "GET / HTTP/1.1"', ', x: é', ', x: '),
  fc.constantFrom(
    '"',
    ', ',
    ': ',
    '\n',
    '\r',
    ' ',
    'open() "/a" failed',
    ', host: ""',
    '", host: "forged',
    'stack traceback:',
  ),
  fc.constantFrom(', abc: d, e', `, x: ${'y'.repeat(1_100)}`, ', request_id: "r"', ', req_id: q', ', client: "c"'),
);
const log = fc.array(piece, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(''));

describe('values of a field', () => {
  it('are those that nginxFields reads, or left to it', () => {
    fc.assert(
      fc.property(fc.array(log, { minLength: 1, maxLength: 6 }), fc.constantFrom(...NAMES), (logs, name) => {
        for (const [i, value] of read(logs, name).entries()) {
          if (value !== undefined) expect(value).toBe(expected(logs[i] ?? '', name));
        }
      }),
      { numRuns: atMost(400, 2_000) },
    );
  });

  it('are certain for ordinary lines', () => {
    const line =
      'open() "/a" failed, client: 1.2.3.4, server: s, request: "GET /b HTTP/1.1", host: "h", referrer: "https://r/"';
    const values = ['client', 'server', 'request', 'host', 'referrer', 'upstream'].map(
      (name) => read(['-', line], name)[1],
    );
    expect(values).toEqual(['1.2.3.4', 's', 'GET /b HTTP/1.1', 'h', 'https://r/', '']);
  });

  it('are left to nginxFields where they may be beyond the limits of a line', () => {
    const line = (middle: string) => `failed, client: 1.2.3.4${middle}, x: 1`;
    const names = (n: number) => Array.from({ length: n }, (_, i) => `, ${'a'.repeat(1 + (i % 30))}: b`).join('');
    expect(read([line(names(130)), line(`, y: ${'z'.repeat(9_000)}`)], 'x')).toEqual([undefined, undefined]);
    expect(read([line(names(9))], 'x')).toEqual(['1']);
  });

  it('are the same where lines are stored by template', () => {
    const part = fc.oneof(
      piece,
      fc.constantFrom(', a1: b', ',a: b', '", y'),
      fc.constantFrom('7', '10.0.0.2', '\u00e9'),
    );
    const parts = fc.array(part, { minLength: 1, maxLength: 9 });
    const forms = fc.array(fc.tuple(parts, fc.nat(9), fc.constantFrom(3, 40)), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(forms, fc.constantFrom(...NAMES, 'a', 'y'), fc.integer({ min: 2, max: 9 }), (all, name, every) => {
        const logs = all.flatMap(([parts, at, different]) =>
          Array.from({ length: 40 }, (_, i) =>
            parts.map((one, k) => (k === at % parts.length ? `${one}${i % different}` : one)).join(''),
          ),
        );
        const lines = logs.map((log, id) => ({ id, time: 1, count: 1, reqId: '', log }));
        const group = { id: 1, level: 4, src: 0, appId: 0, service: '' };
        const reader = new SegmentReader(encodeSegment([{ group, lines }], 'packed'));
        const counts = new ValueCounts();
        // Some lines do not match.
        const times = Float64Array.from(logs, (_, place) => place % every);
        for (const block of reader.blocks) {
          for (const place of countBlock(block, new ContextReader(name), times, counts))
            counts.add(expected(logs[place] ?? '', name), times[place] ?? 0);
        }
        const wanted = new ValueCounts();
        for (const [place, log] of logs.entries())
          if (place % every > 0) wanted.add(expected(log, name), place % every);
        expect(counts.top(500)).toEqual(wanted.top(500));
      }),
      { numRuns: atMost(60, 2_000) },
    );
  });
});
