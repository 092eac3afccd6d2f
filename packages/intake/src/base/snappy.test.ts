import fc from 'fast-check';
import { compress } from 'snappyjs';
import { describe, expect, it } from 'vitest';
import { inflate } from './inflate.ts';

describe('a block of Snappy', () => {
  it('has the bytes that another library packed', () => {
    const repeated = fc
      .tuple(fc.uint8Array({ maxLength: 90 }), fc.integer({ min: 1, max: 3_000 }))
      .map(([bytes, times]) => Buffer.concat(Array.from({ length: times }, () => bytes)));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 5_000 }), repeated), (bytes) => {
        expect(Buffer.from(inflate(compress(bytes), 'snappy', 1_000_000)).equals(bytes)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('may repeat its own output', () => {
    // 5 bytes: the literal "a", and a copy of 4 bytes from 1 byte before.
    expect(Buffer.from(inflate(Uint8Array.of(5, 0, 97, 1, 1), 'snappy', 100)).toString()).toBe('aaaaa');
  });

  it('is refused by the size that it names, before memory is taken', () => {
    expect(() => inflate(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f, 0), 'snappy', 1_000)).toThrow('inflates to more');
  });

  it('never reads or writes outside of itself', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          expect(inflate(bytes, 'snappy', 10_000).length).toBeLessThanOrEqual(10_000);
        } catch (error) {
          expect((error as Error).message).toMatch(/not valid snappy|inflates to more/);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
