import { createReadStream } from 'node:fs';
import { brotliCompressSync, createGzip, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atMost } from '../../../../test/thoroughness.ts';
import { startApi, type TestApi } from '../../test/start-api.ts';
import { word } from '../../test/word.ts';
import { inflate } from '../ingest/inflate.ts';

const PATH = '/admin-api/log_server/errlog';
const LIMIT = 8 * 1024 * 1024;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const send = (body: Buffer, encoding: string, type = 'application/json', path = PATH) =>
  api.fetch(path, {
    method: 'POST',
    headers: { 'edge-token': api.adminToken, 'Content-Type': type, 'Content-Encoding': encoding },
    body: new Uint8Array(body),
  });

/** `bytes` of zeros, compressed without being held at once. */
async function bomb(bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream('/dev/zero', { end: bytes - 1 }).pipe(createGzip())) chunks.push(chunk);
  return Buffer.concat(chunks);
}

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

  it('is refused where bodies are small', async () => {
    const answer = await send(gzipSync('{}'), 'gzip', 'application/json', '/admin-api/api_token');
    expect([answer.status, answer.body.err.code]).toEqual([415, 'unsupported_media_type']);
  });

  it('is as long as the limit allows once inflated, and not a byte longer', async () => {
    const line = JSON.stringify({ level: 4, log: word() });
    expect((await send(gzipSync(line.padEnd(LIMIT)), 'gzip')).status).toBe(200);
    const answer = await send(gzipSync(line.padEnd(LIMIT + 1)), 'gzip');
    expect([answer.status, answer.body.err.code]).toEqual([413, 'too_large']);
  });

  it('is not inflated beyond the limit', async () => {
    const bytes = await bomb(atMost(16, 64) * LIMIT);
    expect(bytes.length).toBeLessThan(LIMIT);
    const answer = await send(bytes, 'gzip');
    expect([answer.status, answer.body.err.code]).toEqual([413, 'too_large']);
    const before = process.memoryUsage().arrayBuffers;
    expect(() => inflate(bytes, 'gzip', LIMIT)).toThrow('inflates to more than');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * LIMIT);
  });
});
