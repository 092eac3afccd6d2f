import { expect, it, vi } from 'vitest';
import { eventCalls } from '../../../test/event-calls.ts';
import { PATIENCE } from '../../../test/patience.ts';
import { useSharedApi } from '../../../test/start-api.ts';
import { EVENTS } from '../../http/endpoints/raw-endpoints.ts';

const MAX = 20;

const api = useSharedApi();

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
  const again = await vi.waitUntil(async () => {
    const stream = await open(1);
    return stream.response.status === 200 && stream;
  }, PATIENCE);
  for (const { cancel } of [again, ...opened.slice(1)]) await cancel();
});

it('counts no request for the head of a stream', async () => {
  const { token } = await api.person('viewer');
  for (let n = 0; n <= MAX; n += 1) {
    const { status } = await fetch(api.url + EVENTS.path, { method: 'HEAD', headers: { 'edge-token': token } });
    expect(status).toBe(200);
  }
});
