import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { inflate } from '@quarterdeck/intake';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../test/thoroughness.ts';
import { useSharedApi } from '../../test/start-api.ts';
import { word } from '../../test/word.ts';

const PATH = '/admin-api/log_server/errlog';
const LIMIT = 8 * 1024 * 1024;

const api = useSharedApi();

const send = (body: Buffer, encoding: string, type = 'application/json', path = PATH) =>
  api.fetch(path, {
    method: 'POST',
    headers: { 'edge-token': api.adminToken, 'Content-Type': type, 'Content-Encoding': encoding },
    body: new Uint8Array(body),
  });

describe('a compressed body', () => {
  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ])('is read when it is %s', async (encoding, compress) => {
    const lines = JSON.stringify([{ level: 4, log: word() }]);
    expect((await send(compress(lines), encoding)).body.data).toEqual({ accepted: 1, refused: [] });
    const ndjson = await send(compress(`${lines.slice(1, -1)}\n${lines.slice(1, -1)}`), encoding, 'application/jsonl');
    expect(ndjson.body.data).toEqual({ accepted: 2, refused: [] });
  });

  it('may be sent plainly, too', async () => {
    expect((await send(Buffer.from('{"level":4,"log":"plain"}'), 'identity')).status).toBe(200);
  });

  it.each([
    ['an unknown encoding', 'compress', Buffer.from('x'), 415, 'unsupported_media_type'],
    ['two encodings', 'gzip, gzip', gzipSync(gzipSync('[]')), 415, 'unsupported_media_type'],
    ['what is not compressed', 'gzip', Buffer.from('{"level":4,"log":"x"}'), 400, 'bad_request'],
    ['what ends too early', 'gzip', gzipSync('{"level":4,"log":"x"}').subarray(0, 20), 400, 'bad_request'],
    ['broken deflate', 'deflate', Buffer.from('hello'), 400, 'bad_request'],
    ['broken br', 'br', Buffer.from('hello'), 400, 'bad_request'],
    ['broken zstd', 'zstd', Buffer.from('hello'), 400, 'bad_request'],
  ])('is refused when it is %s', async (_name, encoding, body, status, code) => {
    const answer = await send(body, encoding);
    expect([answer.status, answer.body.err.code]).toEqual([status, code]);
  });

  it('is as long as the limit allows once inflated, and not a byte longer', async () => {
    const line = JSON.stringify({ level: 4, log: word() });
    expect((await send(gzipSync(line.padEnd(LIMIT)), 'gzip')).status).toBe(200);
    const answer = await send(gzipSync(line.padEnd(LIMIT + 1)), 'gzip');
    expect([answer.status, answer.body.err.code]).toEqual([413, 'too_large']);
  });

  it('is not inflated beyond the limit', async () => {
    // Members of gzip one after the other are one text.
    const bytes = Buffer.concat(Array(atMost(16, 64)).fill(gzipSync(Buffer.alloc(LIMIT))));
    expect(bytes.length).toBeLessThan(LIMIT);
    const answer = await send(bytes, 'gzip');
    expect([answer.status, answer.body.err.code]).toEqual([413, 'too_large']);
    const before = process.memoryUsage().arrayBuffers;
    expect(() => inflate(bytes, 'gzip', LIMIT)).toThrow('inflates to more than');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * LIMIT);
  });
});
