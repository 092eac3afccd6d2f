import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../test/any-character.ts';
import { cleanText, MAX_LINE_BYTES } from './log-line.ts';

describe('cleanText', () => {
  it('leaves ordinary text unchanged, line breaks included', () => {
    expect(cleanText('a\n\tb é 😀')).toBe('a\n\tb é 😀');
  });

  it('replaces characters that cannot be stored', () => {
    expect(cleanText('a\0b')).toBe('a\uFFFDb');
    expect(cleanText('a\uD800b\uDC00')).toBe('a\uFFFDb\uFFFD');
    expect(cleanText(Uint8Array.of(0x61, 0xff, 0x00, 0x62))).toBe('a\uFFFD\uFFFDb');
  });

  it('cuts a long text and marks the number of missing bytes', () => {
    const cut = cleanText('x'.repeat(20_000));
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(MAX_LINE_BYTES);
    const kept = cut.indexOf(' [cut: ');
    expect(cut.slice(kept)).toBe(` [cut: ${20_000 - kept} bytes]`);
  });

  it('never cuts a character in two', () => {
    for (const lead of ['', 'a', 'ab', 'abc']) {
      const cut = cleanText(lead + '😀'.repeat(100), 101);
      expect(cut).toMatch(/^[abc]*(😀)+ \[cut: \d+ bytes\]$/u);
    }
  });

  it('leaves a text that just fits unchanged', () => {
    expect(cleanText('é'.repeat(50), 100)).toBe('é'.repeat(50));
    expect(cleanText('é'.repeat(51), 100)).toContain('[cut: ');
  });

  it('marks a text that a reader has already cut', () => {
    expect(cleanText('abc', 100, 7)).toBe('abc [cut: 7 bytes]');
  });

  it('gives well-formed text within the limit for any input, and changes nothing the second time', () => {
    const texts = fc.oneof(fc.string({ unit: ANY_CHARACTER }), fc.uint8Array({ maxLength: 300 }));
    fc.assert(
      fc.property(texts, fc.integer({ min: 40, max: 120 }), (raw, maxBytes) => {
        const text = cleanText(raw, maxBytes);
        expect(text.isWellFormed()).toBe(true);
        expect(text).not.toContain('\0');
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
        expect(cleanText(text, maxBytes)).toBe(text);
      }),
    );
  });
});
