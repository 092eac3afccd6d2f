// The largest body of a request: wire contract section 1.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../test/non-empty.ts';
import { everyThird } from '../../../test/thoroughness.ts';
import { failuresOf } from './failures.ts';
import { type RawAnswer, sendRaw } from './raw-socket.ts';
import { type TestApi, useSharedApi } from './start-api.ts';

const KIB = 1024;
const LOGIN = '/admin-api/user/login';
const TOKENS = '/admin-api/api_token';
const REPORT = '/api/agents/{id}/heartbeat';
const ERRLOG = '/admin-api/log_server/errlog';

const api = useSharedApi();
let agent: Awaited<ReturnType<TestApi['agent']>>;
beforeAll(async () => {
  agent = await api.agent();
});
afterAll(() => {
  expect(api.logged.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40)).toEqual([]);
});

/** Sends JSON in the session of the administrator, or as an agent to the path of a report. */
async function post(path: string, body: string | ReadableStream) {
  const credential = path === REPORT ? { 'API-Token': agent.secret } : { 'edge-token': api.adminToken };
  const headers = { ...credential, 'Content-Type': 'application/json' };
  const url = api.url + path.replace('{id}', String(agent.id));
  // `duplex` is needed for a stream.
  const response = await fetch(url, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
  return { status: response.status, text: await response.text() };
}

const { expectFailure, expectRawFailure } = failuresOf(() => api);

/** A JSON object of a given size; `start` is its text without the last brace. */
const bodyOf = (bytes: number, start: string): string => `${start.padEnd(bytes - 1, ' ')}}`;

describe('the largest body', () => {
  const limits = [
    { name: 'of a login', path: LOGIN, limit: 4 * KIB, start: '{"username":"x","password":"y"', fits: 401 },
    { name: 'of most requests', path: TOKENS, limit: 64 * KIB, start: '{"name":"x"', fits: 200 },
    { name: 'of a report of an agent', path: REPORT, limit: 512 * KIB, start: '{"ip":"192.0.2.7"', fits: 200 },
    { name: 'of the log intake', path: ERRLOG, limit: 8 * KIB * KIB, start: '{"level":4,"log":"x"', fits: 200 },
  ];

  it.each(nonEmpty(limits))('$name is $limit bytes', async ({ path, limit, start, fits }) => {
    expect((await post(path, bodyOf(limit, start))).status).toBe(fits);
    expectFailure(await post(path, bodyOf(limit + 1, start)), 413, 'too_large');
  });

  it.each(nonEmpty(everyThird(limits, 1)))(
    '$name is the same where no length is announced',
    async ({ path, limit, start, fits }) => {
      const chunked = (text: string) => new Blob([text]).stream();
      expect((await post(path, chunked(bodyOf(limit, start)))).status).toBe(fits);
      expectFailure(await post(path, chunked(bodyOf(limit + 1, start))), 413, 'too_large');
    },
  );

  it('is refused also for a client that does not read while it sends', async () => {
    const body = Buffer.alloc(12 * KIB * KIB, 'x');
    for (const [path, status, code] of [
      [LOGIN, 413, 'too_large'],
      [TOKENS, 401, 'credential_missing'],
      ['/nope', 404, 'unknown_path'],
    ] as const) {
      const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\nContent-Length: ${body.length}\r\n\r\n`;
      const next = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
      const [refusal, healthy, ...more] = await sendRaw(api.server.port, head, body, next);
      expectRawFailure([refusal as RawAnswer], status, code);
      expect(healthy).toMatchObject({ status: 200, body: '{"status":0}' });
      expect(more).toEqual([]);
    }
  });
});
