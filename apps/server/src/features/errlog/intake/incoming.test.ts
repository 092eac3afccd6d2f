import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { BodyForm } from '@quarterdeck/intake';
import { describe, expect, it } from 'vitest';
import { type IncomingBody, smallBody } from './incoming.ts';

const from = { name: 'gw1', address: '192.0.2.1', credential: 'account 1' };
const body = (form: BodyForm, bytes: Uint8Array, encoding?: string): IncomingBody => ({
  bytes,
  form,
  encoding,
  target: '',
  from,
});
const KB = 1024;
const COMPRESS = { gzip: gzipSync, br: brotliCompressSync, zstd: zstdCompressSync };

describe('a small body', () => {
  it.each<[BodyForm, number]>([
    ['json', 64 * KB],
    ['bulk', 64 * KB],
    ['sentry_envelope', 64 * KB],
    ['otlp_protobuf', 8 * KB],
    ['loki_json', 8 * KB],
  ])('of %s has %i bytes at most, once it is inflated', (form, limit) => {
    const whole = Buffer.alloc(limit, 'x');
    const more = Buffer.alloc(limit + 1, 'x');
    expect(smallBody(body(form, whole))).toMatchObject({ bytes: whole, encoding: undefined });
    expect(smallBody(body(form, more))).toBeUndefined();
    for (const [encoding, compress] of Object.entries(COMPRESS)) {
      expect(smallBody(body(form, compress(whole), encoding))).toEqual(body(form, whole));
      expect(smallBody(body(form, compress(more), encoding))).toBeUndefined();
    }
  });

  it('may be empty, and must have the encoding that it names', () => {
    const empty = body('json', new Uint8Array(0), 'gzip');
    expect(smallBody(empty)).toBe(empty);
    expect(() => smallBody(body('json', Buffer.from('x'), 'gzip'))).toThrow(/not valid gzip/);
  });
});
