import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../test/thoroughness.ts';
import { SyslogFraming } from './syslog-framing.ts';

interface Frame {
  text: string;
  lost: number;
}

function frames(chunks: readonly Uint8Array[], maxBytes?: number): Frame[] {
  const seen: Frame[] = [];
  const framing = new SyslogFraming((bytes, lost) => {
    seen.push({ text: Buffer.from(bytes).toString('latin1'), lost });
  }, maxBytes);
  for (const chunk of chunks) framing.push(chunk);
  framing.end();
  return seen;
}

function texts(stream: string): string[] {
  return frames([Buffer.from(stream, 'latin1')]).map((frame) => frame.text);
}

function split(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const edges = [...cuts.map((cut) => cut % (bytes.length + 1)), 0, bytes.length].sort((a, b) => a - b);
  return edges.slice(1).map((edge, i) => bytes.subarray(edges[i], edge));
}

describe('SyslogFraming', () => {
  it.each([
    ['<1>a\n<2>b\n', ['<1>a', '<2>b']],
    ['<1>a\r\n<2>b\r\n', ['<1>a', '<2>b']],
    ['<1>a\0<2>b\0', ['<1>a', '<2>b']],
    ['4 <1>a4 <2>b', ['<1>a', '<2>b']],
    ['7 <1>a\nb\n4 <2>c', ['<1>a\nb\n', '<2>c']],
    ['<1>a\n4 <2>b<3>c\n5 <4>d\n', ['<1>a', '<2>b', '<3>c', '<4>d\n']],
    ['\n\r\n\0<1>a\n\n', ['<1>a']],
    ['<1>no end', ['<1>no end']],
    ['20 <1>cut off', ['<1>cut off']],
    ['12 monkeys\n<1>a\n', ['12 monkeys', '<1>a']],
    ['2026/11/20 text\n', ['2026/11/20 text']],
    ['12345678 <1>a\n', ['12345678 <1>a']],
    ['12', ['12']],
    ['12 ', ['12 ']],
    ['12\n<1>a\n', ['12', '<1>a']],
    ['0 <1>a\n', ['0 <1>a']],
    ['', []],
  ])('splits %j', (stream, expected) => {
    expect(texts(stream)).toEqual(expected);
  });

  it('truncates a long line, counts the rest and continues after it', () => {
    expect(frames([Buffer.from(`${'x'.repeat(30)}\n<1>a\n`)], 20)).toEqual([
      { text: 'x'.repeat(20), lost: 10 },
      { text: '<1>a', lost: 0 },
    ]);
  });

  it('truncates a long counted message and continues after it', () => {
    expect(frames([Buffer.from(`30 <1>${'x'.repeat(27)}4 <1>a`)], 20)).toEqual([
      { text: `<1>${'x'.repeat(17)}`, lost: 10 },
      { text: '<1>a', lost: 0 },
    ]);
  });

  it('truncates at 64 KiB', () => {
    expect(frames([Buffer.alloc(70_000, 'x')])).toEqual([{ text: 'x'.repeat(65_536), lost: 70_000 - 65_536 }]);
  });

  it('reads a long line in one-byte chunks', () => {
    const bytes = Buffer.from(`${'x'.repeat(10_000)}\n<1>a\n`);
    expect(frames(split(bytes, [...bytes.keys()])).map((frame) => frame.text.length)).toEqual([10_000, 4]);
  });

  const piece = fc.oneof(
    fc.constantFrom(...['\n', '\r\n', '\0', ' ', '<1>', '4 <1>a', '12 ', '9', '30 <', '1234567 <', '12345678']),
    fc.constant('x'.repeat(25)),
    fc.string({ unit: 'binary-ascii', maxLength: 12 }),
  );
  const stream = fc.array(piece, { maxLength: 30 }).map((pieces) => Buffer.from(pieces.join(''), 'latin1'));

  it('returns the same frames for any chunks of the stream', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat()), fc.constantFrom(16, 40, 65_536), (bytes, cuts, maxBytes) => {
        expect(frames(split(bytes, cuts), maxBytes)).toEqual(frames([bytes], maxBytes));
      }),
      { numRuns: atMost(200, 1_000) },
    );
  });

  it('returns every framed message, in order', () => {
    const message = fc
      .string({ unit: 'binary-ascii', maxLength: 20 })
      .map((text) => `<1>${text.replace(/[\n\0]/g, '_')}`);
    const framed = fc.tuple(message, fc.boolean());
    fc.assert(
      fc.property(fc.array(framed), fc.array(fc.nat()), (messages, cuts) => {
        const bytes = Buffer.from(
          messages.map(([text, counted]) => (counted ? `${text.length} ${text}` : `${text}\n`)).join(''),
          'latin1',
        );
        const sent = messages.map(([text, counted]) => (counted ? text : text.replace(/\r$/, '')));
        expect(frames(split(bytes, cuts)).map((frame) => frame.text)).toEqual(sent);
      }),
    );
  });

  it('never returns an empty frame or one over the limit, and counts every byte', () => {
    fc.assert(
      fc.property(stream, (bytes) => {
        for (const { text, lost } of frames([bytes], 16)) {
          expect(text.length).toBeGreaterThan(0);
          expect(text.length).toBeLessThanOrEqual(16);
          if (lost > 0) expect(text.length).toBe(16);
        }
      }),
    );
  });

  it.each([
    ['54 <1 minute elapsed\n<11>a: next\n', ['54 <1 minute elapsed', '<11>a: next']],
    ['20 <192>a: no priority\n', ['20 <192>a: no priority']],
    ['3 <11>a: less than the priority\n', ['3 <11>a: less than the priority']],
    ['10 <1234>\n', ['10 <1234>']],
    ['9 <11>a: xx8 <11>a: y', ['<11>a: xx', '<11>a: y']],
    ['9 <', ['9 <']],
  ])('takes a number only before a whole priority for a count: %j', (stream, texts) => {
    for (let size = 1; size <= stream.length; size += 1) {
      const chunks = Array.from({ length: Math.ceil(stream.length / size) }, (_, i) =>
        Buffer.from(stream.slice(i * size, (i + 1) * size)),
      );
      expect(frames(chunks).map(({ text }) => text)).toEqual(texts);
    }
  });
});
