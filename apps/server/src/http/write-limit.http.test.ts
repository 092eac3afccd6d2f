// The write limit, as a client sees it.
import { createClient } from '@quarterdeck/sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../test/start-api.ts';
import { word } from '../../test/word.ts';

const NO_ID = 2_147_483_647;

const BURST = 20;

let api: TestApi;
beforeAll(async () => {
  // Slow enough that a busy machine reaches the limit.
  api = await startApi({}, { writeRate: { perSecond: 1, burst: BURST } });
});
afterAll(() => api[Symbol.asyncDispose]());

/** A write to an unknown id: it changes nothing, but counts. */
const change = (token: string) =>
  api.fetch(`/admin-api/api_token/${NO_ID}/disable`, { method: 'POST', headers: { 'API-Token': token } });

const makeToken = async () => (await api.admin.apiToken.create({ body: {} })).token;

/** Sends writes until one is refused; returns the answers. */
async function useUp(token: string) {
  const answers: Awaited<ReturnType<typeof change>>[] = [];
  while (!answers.some(({ status }) => status === 429)) {
    answers.push(...(await Promise.all(Array.from({ length: BURST }, () => change(token)))));
  }
  return answers;
}

it('refuses writes beyond the burst, but no reads and no other credential', async () => {
  const [token, other] = [await makeToken(), await makeToken()];
  const answers = await useUp(token);
  const refused = answers.filter(({ status }) => status === 429);
  const taken = answers.filter(({ status }) => status === 404);
  expect(taken.length).toBeGreaterThanOrEqual(BURST);
  expect(refused.length + taken.length).toBe(answers.length);
  for (const { headers } of answers) {
    expect(headers.get('ratelimit-policy')).toBe('"write";q=20;w=20');
    expect(headers.get('ratelimit')).toMatch(/^"write";r=\d{1,2};t=1$/);
  }
  for (const { headers, body } of refused) {
    expect([body.err.code, headers.get('retry-after'), headers.get('ratelimit')]).toEqual([
      'rate_limited',
      '1',
      '"write";r=0;t=1',
    ]);
  }
  const client = createClient({ url: api.url, apiToken: token, retries: 0 });
  await client.errlog.append({ body: { level: 4, log: word() } });
  const read = await api.fetch('/admin-api/user/me', { headers: { 'API-Token': token } });
  expect([read.status, read.headers.get('ratelimit')]).toEqual([200, null]);
  expect((await change(other)).headers.get('ratelimit')).toBe('"write";r=19;t=1');
  expect((await api.agent()).id).toBeGreaterThan(0);

  api.advance(1_000);
  expect((await change(token)).status).toBe(404);
});

it('lets the SDK wait and try again, whatever the method', async () => {
  const token = await makeToken();
  await useUp(token);
  const attempts: (number | undefined)[] = [];
  const client = createClient({ url: api.url, apiToken: token, onRequest: ({ status }) => attempts.push(status) });
  // Emptied again, so that the first attempt is refused.
  while ((await change(token)).status !== 429);
  await client.apiToken.create({ body: {} });
  expect(attempts.at(-1)).toBe(200);
});

it('is fifty a second and five hundred at once by default', async () => {
  await using real = await startApi({}, { writeRate: undefined });
  const { headers } = await real.fetch('/admin-api/user/session', {
    method: 'DELETE',
    headers: { 'edge-token': real.adminToken },
  });
  expect([headers.get('ratelimit-policy'), headers.get('ratelimit')]).toEqual([
    '"write";q=500;w=10',
    '"write";r=499;t=1',
  ]);
});
