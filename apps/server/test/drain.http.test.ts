import { expect, it } from 'vitest';
import { startApi } from './start-api.ts';

it('answers requests while it drains, and is not ready', async () => {
  await using api = await startApi({ DRAIN_S: '600' });
  const status = async (path: string) => {
    const response = await fetch(`${api.url}${path}`, { headers: { 'edge-token': api.adminToken } });
    await response.text();
    return [response.status, response.headers.get('connection')];
  };
  expect(await status('/readyz')).toEqual([200, 'keep-alive']);
  const stopped = api.server.stop();
  expect(await status('/readyz')).toEqual([503, 'close']);
  expect(await status('/healthz')).toEqual([200, 'close']);
  expect(await status('/admin-api/user/me')).toEqual([200, 'close']);
  void api.server.stop();
  await stopped;
  await expect(status('/healthz')).rejects.toThrow();
});
