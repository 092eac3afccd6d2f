// Clients that do not read their answers: megabytes, more than the system buffers on the way.
import { afterEach, describe, expect, it } from 'vitest';
import { errlogCalls } from '../../test/errlog-calls.ts';
import { openRaw } from '../../test/raw-socket.ts';
import { scrape } from '../../test/scrape.ts';
import { startApi, type TestApi } from '../../test/start-api.ts';
import { word } from '../../test/word.ts';
import { EXPORT, LINE_EXPORT } from './endpoints/raw-endpoints.ts';

const LIST = '/admin-api/log_server/errlog';

const closers: (() => PromiseLike<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A server with 30 MB of groups and lines. */
async function start(sendTimeoutMs?: number): Promise<TestApi> {
  const api = await startApi({}, { sendTimeoutMs });
  closers.push(() => api[Symbol.asyncDispose]());
  const { append } = errlogCalls(() => api);
  for (let batch = 0; batch < 10; batch += 1) {
    await append(Array.from({ length: 200 }, () => ({ level: 4, log: `${word()} ${'y'.repeat(15_000)}` })));
  }
  return api;
}

/** Asks for an answer, and never reads it. */
async function leaveUnread(api: TestApi, path: string) {
  const client = await openRaw(api.server.port);
  closers.push(() => client[Symbol.asyncDispose]());
  client.socket.pause();
  client.socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nedge-token: ${api.adminToken}\r\n\r\n`);
  return client;
}

const inFlight = async (api: TestApi) =>
  Number(/^quarterdeck_http_requests_in_flight (\d+)$/m.exec(await scrape(api))?.[1]);

describe('an answer that nobody reads', () => {
  it.each([EXPORT.path, LINE_EXPORT.path, `${LIST}?page_size=10000`])(
    'ends once nothing of it was taken for a while: %s',
    async (path) => {
      // Longer than a busy machine takes for an answer: the time counts while nothing is taken, also of none.
      const api = await start(3_000);
      const ended = new RegExp(
        `_duration_seconds_count{route="${path.split('?')[0]}",method="GET",status="200"} 2$`,
        'm',
      );
      for (let n = 0; n < 2; n += 1) await leaveUnread(api, path);
      await expect.poll(() => scrape(api)).toMatch(ended);
      expect(api.logged.filter((line) => JSON.parse(line).level >= 40)).toEqual([]);
    },
  );

  it('leaves room for small ones beside it; further large ones are refused until it ends', async () => {
    const api = await start();
    const ask = (path: string) => api.fetch(path, { headers: { 'edge-token': api.adminToken } });
    const page = () => ask(`${LIST}?page_size=10000`);
    const unread = [];
    for (let n = 1; n <= 2; n += 1) {
      unread.push(await leaveUnread(api, `${LIST}?page_size=10000`));
      await expect.poll(() => inFlight(api)).toBe(n + 1);
      // Two of 30 MB fit into 64 MiB.
      await expect.poll(async () => (await page()).status).toBe(n === 1 ? 200 : 503);
    }
    const refused = await page();
    expect([refused.status, refused.body.err.code]).toEqual([503, 'overloaded']);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-5]$/);
    for (const path of ['/healthz', `${LIST}?page_size=1`, '/openapi.json']) {
      expect([path, (await api.fetch(path, { headers: { 'edge-token': api.adminToken } })).status]).toEqual([
        path,
        200,
      ]);
    }
    for (const { socket } of unread) socket.destroy();
    await expect.poll(async () => (await page()).status).toBe(200);
  });
});
