import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../test/thoroughness.ts';
import { ANY_CHARACTER } from '../../core/test/any-character.ts';
import { chooseCoding, compress, compressOnce } from './compression.ts';

describe('chooseCoding', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['deflate', undefined],
    ['*', 'gzip'],
    ['*;q=0', undefined],
    ['gzip;q=0, *;q=0.5', 'br'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip;q=0', undefined],
    ['br;q=0.000', undefined],
    ['br ; Q=0.9', 'br'],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0', undefined],
    ['br;q=2, gzip', 'gzip'],
    ['br;level=1, gzip', 'gzip'],
    [';q=1, gzip', 'gzip'],
  ])('chooses for %j the coding %j', (header, coding) => {
    expect(chooseCoding(header)).toBe(coding);
  });

  it('reads any text', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        expect([undefined, 'br', 'gzip']).toContain(chooseCoding(header));
      }),
    );
  });
});

describe('compress', () => {
  it('keeps any text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: ANY_CHARACTER, maxLength: 5_000 }), async (text) => {
        expect(brotliDecompressSync(await compress(text, 'br')).toString()).toBe(Buffer.from(text).toString());
        expect(gunzipSync(await compress(text, 'gzip')).toString()).toBe(Buffer.from(text).toString());
      }),
      { numRuns: atMost(20, 100) },
    );
  });

  it('compresses a kept body once for each coding', async () => {
    const body = Buffer.from('a document'.repeat(500));
    const [first, again] = [compressOnce(body, 'br'), compressOnce(body, 'br')];
    expect(again).toBe(first);
    expect(brotliDecompressSync(await first)).toEqual(body);
    expect(gunzipSync(await compressOnce(body, 'gzip'))).toEqual(body);
  });
});
