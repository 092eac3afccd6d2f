import { describe, expect, it } from 'vitest';
import { smallFetch } from '../src/small-fetch.ts';
import { startFakeConsole } from './fake-console.ts';

const send = smallFetch(64 * 1024);

describe('smallFetch', () => {
  it.each([
    [200, 'x'.repeat(64 * 1024)],
    [404, ''],
    [302, 'elsewhere'],
  ])('hands on an answer as it is: %d', async (status, body) => {
    const server = await startFakeConsole();
    server.next.push({ status, headers: { 'retry-after': '7', location: '/elsewhere' }, body });
    const response = await send(server.url, { redirect: 'manual' });
    expect([response.status, response.headers.get('retry-after'), await response.text()]).toEqual([status, '7', body]);
  });

  it('hands on an answer without a body', async () => {
    const server = await startFakeConsole();
    server.next.push({ status: 204, body: '' });
    expect((await send(server.url)).status).toBe(204);
  });

  it('gives up on an answer that is too long', async () => {
    const server = await startFakeConsole();
    server.next.push({ body: 'x'.repeat(64 * 1024 + 1) });
    await expect(send(server.url)).rejects.toThrow('an answer of more than 65536 bytes');
  });
});
