// Answers as they are on the wire: compressed where the client asks for it, and never with a secret.
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD, useApi } from '../../test/start-api.ts';
import { word } from '../../test/word.ts';

const api = useApi();
beforeAll(async () => {
  const body = Array.from({ length: 40 }, () => ({ level: 4, log: `the ${word()} drags` }));
  await api.admin.errlog.append({ body });
});

const LIST = '/admin-api/log_server/errlog?page_size=40';

interface Raw {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Sends a request with these headers and no others. */
async function send(method: string, path: string, headers: Record<string, string> = {}, body?: object): Promise<Raw> {
  const all = { Authorization: `Bearer ${api.adminToken}`, 'Content-Type': 'application/json', ...headers };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(api.url + path, { method, headers: all }, resolve)
      .on('error', reject)
      .end(body === undefined ? undefined : JSON.stringify(body));
  });
  return { status: answer.statusCode, headers: answer.headers, bytes: await buffer(answer) };
}

const dataOf = (bytes: Buffer) => JSON.parse(bytes.toString()).data;

describe('a long answer', () => {
  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('is compressed with %s on request', async (coding, unpack) => {
    const plain = await send('GET', LIST);
    const packed = await send('GET', LIST, { 'Accept-Encoding': coding });
    expect([plain.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([undefined, coding]);
    expect([plain.headers.vary, packed.headers.vary]).toEqual(['Accept-Encoding', 'Accept-Encoding']);
    expect(dataOf(unpack(packed.bytes))).toEqual(dataOf(plain.bytes));
    expect(packed.headers['content-length']).toBe(String(packed.bytes.length));
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
    const head = await send('HEAD', LIST, { 'Accept-Encoding': coding });
    expect([head.headers['content-encoding'], head.bytes.length]).toEqual([coding, 0]);
  });

  it('is the document of the API, too', async () => {
    const [first, again] = [
      await send('GET', '/openapi.json', { 'Accept-Encoding': 'br' }),
      await send('GET', '/openapi.json', { 'Accept-Encoding': 'br' }),
    ];
    expect(JSON.parse(brotliDecompressSync(first.bytes).toString())).toHaveProperty('openapi');
    expect(again.bytes).toEqual(first.bytes);
  });
});

describe('an answer that is never compressed', () => {
  const asking = { 'Accept-Encoding': 'br, gzip' };

  it('is a short one', async () => {
    const { headers } = await send('GET', '/admin-api/log_server/errlog?page_size=1', asking);
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined]);
  });

  it('is one with a secret, however long', async () => {
    const labels = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`label-${i}`, 'x'.repeat(100)]));
    const long = await send('POST', '/api/agents/enrollment', asking, { name: 'x', labels });
    expect([long.status, long.headers['content-encoding'], long.headers.vary]).toEqual([200, undefined, undefined]);
    expect(dataOf(long.bytes).token).toMatch(/^qd_/);
    const login = await send('POST', '/admin-api/user/login', asking, { username: 'admin', password: PASSWORD });
    expect([login.status, login.headers['content-encoding']]).toEqual([200, undefined]);
  });

  it('is an export', async () => {
    const { headers, bytes } = await send('GET', '/admin-api/log_server/errlog/export', asking);
    expect(headers['content-encoding']).toBeUndefined();
    expect(bytes.length).toBeGreaterThan(1024);
  });
});
