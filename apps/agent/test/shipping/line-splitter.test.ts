import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from '../../src/follow/line-splitter.ts';

const BEGIN = Buffer.alloc(0);

/** Splits a file that is read in chunks of these sizes. */
function split(content: Buffer, sizes: readonly number[]) {
  const splitter = new LineSplitter(0, BEGIN);
  const lines = [];
  for (let at = 0, i = 0; at < content.length; i += 1) {
    const end = Math.min(content.length, at + (sizes[i % sizes.length] ?? content.length));
    lines.push(...splitter.push(content.subarray(at, end)));
    at = end;
  }
  return { lines, splitter };
}

const textsOf = (content: string | Buffer, sizes = [7]) =>
  split(Buffer.from(content), sizes).lines.map(({ bytes }) => bytes.toString());

describe('LineSplitter', () => {
  it('removes line breaks of both kinds, and waits for the end of a line', () => {
    expect(textsOf('one\ntwo\r\n\nth\rree\nfour')).toEqual(['one', 'two', '', 'th\rree']);
  });

  it('skips NUL bytes before a line, as truncation leaves them', () => {
    expect(textsOf(Buffer.concat([Buffer.alloc(20), Buffer.from('one\nt\0wo\n')]))).toEqual(['one', 't\0wo']);
  });

  it('keeps the beginning of a line that is too long, and counts the missing bytes', () => {
    const { lines } = split(Buffer.from(`${'x'.repeat(1_000_000)}\nshort\n`), [64 * 1024]);
    const [long, short] = lines;
    expect(long?.bytes.length).toBeLessThan(17_000);
    expect((long?.bytes.length ?? 0) + (long?.lost ?? 0)).toBe(1_000_000);
    expect(short).toMatchObject({ lost: 0, end: 1_000_007 });
  });

  it('gives the same lines, ends and tails whatever the chunks are', () => {
    const content = fc
      .uint8Array({ maxLength: 400 })
      .map((bytes) => Buffer.from(bytes.map((byte) => (byte < 60 ? 10 : byte))));
    fc.assert(
      fc.property(content, fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 }), (bytes, sizes) => {
        const whole = split(bytes, [bytes.length]).lines;
        expect(split(bytes, sizes).lines).toEqual(whole);
        for (const { end, tail } of whole) expect(tail).toEqual(bytes.subarray(Math.max(0, end - 64), end));
      }),
    );
  });

  it('continues from the end of any line as if it had read the lines before', () => {
    const bytes = Buffer.from('one\ntwo\nthree\nfour\n');
    const { lines } = split(bytes, [100]);
    for (const [i, { end, tail }] of lines.entries()) {
      expect(new LineSplitter(end, tail).push(bytes.subarray(end))).toEqual(lines.slice(i + 1));
    }
  });
});
