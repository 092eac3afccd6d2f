import { createClient } from '@quarterdeck/sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventCalls } from '../../../test/event-calls.ts';
import { startApi, type TestApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';
import { EVENTS } from '../../http/raw-endpoints.ts';

const MAX = 20;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const { openRaw } = eventCalls(() => api);

it('opens twenty streams for one user with all credentials, and refuses more until one is closed', async () => {
  const [person, somebody] = [await api.person('viewer'), await api.person('viewer')];
  const { token } = await person.client.apiToken.create({ body: {} });
  const credentials = [{ 'edge-token': person.token }, { 'API-Token': token }];
  const open = (n: number) => openRaw(credentials[n % 2]);
  // Asked for at once: none slips through.
  const streams = await Promise.all(Array.from({ length: MAX + 5 }, (_, n) => open(n)));
  const [opened, refused] = [
    streams.filter(({ response }) => response.status === 200),
    streams.filter(({ response }) => response.status === 429),
  ];
  expect([opened.length, refused.length]).toEqual([MAX, 5]);
  for (const { response } of refused) expect(response.headers.get('retry-after')).toBe('10');
  expect(JSON.parse((await refused[0]?.until(() => false)) ?? '')).toMatchObject({
    status: 429,
    err: { code: 'stream_limit_reached', detail: 'At most 20 event streams at this server.' },
  });
  const other = await openRaw({ 'edge-token': somebody.token });
  expect(other.response.status).toBe(200);
  await other.cancel();

  await opened[0]?.cancel();
  await expect.poll(async () => (await open(1)).response.status).toBe(200);
  for (const { cancel } of opened.slice(1)) await cancel();
});

it('counts no request for the head of a stream', async () => {
  const { token } = await api.person('viewer');
  for (let n = 0; n < 2 * MAX; n += 1) {
    const { status } = await fetch(api.url + EVENTS.path, { method: 'HEAD', headers: { 'edge-token': token } });
    expect(status).toBe(200);
  }
});

it('disconnects a client that does not read, and whose credential has ended', async () => {
  await using own = await startApi({ MAX_STREAMS_PER_USER: '1' });
  const person = await own.person('viewer');
  const { id, token } = await person.client.apiToken.create({ body: {} });
  for (let batch = 0; batch < 10; batch += 1) {
    const lines = Array.from({ length: 100 }, () => ({ level: 4 as const, log: `${word()} ${'y'.repeat(15_000)}` }));
    await own.admin.errlog.append({ body: lines });
  }
  const open = (headers: Record<string, string>) => openRaw({ 'edge-token': '', ...headers }, '', own);
  // All of it is on its way, and nobody takes it.
  const stalled = await open({ 'API-Token': token, 'last-event-id': '0' });
  expect(stalled.response.status).toBe(200);
  expect((await open({ 'edge-token': person.token })).response.status).toBe(429);
  await createClient({ url: own.url, sessionToken: person.token }).apiToken.remove({ params: { id } });
  await expect
    .poll(async () => (await open({ 'edge-token': person.token })).response.status, { timeout: 10_000 })
    .toBe(200);
});
