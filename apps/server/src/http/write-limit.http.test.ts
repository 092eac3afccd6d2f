// The write limit, as a client sees it.

import { createClient } from '@quarterdeck/sdk';
import { expect, it } from 'vitest';
import { NO_ID } from '../../test/callers.ts';
import { useApi } from '../../test/start-api.ts';
import { word } from '../../test/word.ts';

const BURST = 20;

// Slow enough that a busy machine reaches the limit.
const api = useApi({}, { writeRate: { perSecond: 1, burst: BURST } });

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
