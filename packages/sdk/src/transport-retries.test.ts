import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../test/failure-of.ts';
import { hangUp, inTurn, ok, refuse, startServer } from '../test/start-server.ts';
import { testClock } from '../test/test-clock.ts';
import { type ClientOptions, createClient } from './index.ts';

describe('retries', () => {
  const client = (url: string, options: Partial<ClientOptions> = {}) => {
    const clock = testClock();
    return { clock, client: createClient({ url, clock, ...options }) };
  };

  it('repeat a reading call until it succeeds', async () => {
    await using server = await startServer(inTurn(hangUp, refuse('overloaded', { 'retry-after': '3' }), ok({ id: 1 })));
    const { clock, client: c } = client(server.url);
    expect(await c.user.me()).toEqual({ id: 1 });
    expect(server.seen).toHaveLength(3);
    expect(clock.waits).toEqual([100, 3_100]);
  });

  it('give up after two, with the last failure', async () => {
    await using server = await startServer(inTurn(hangUp, hangUp, refuse('database_busy'), ok({})));
    const { clock, client: c } = client(server.url);
    expect(await failureOf(c.user.me())).toMatchObject({ name: 'ApiError', code: 'database_busy' });
    expect(server.seen).toHaveLength(3);
    expect(clock.waits).toEqual([100, 200]);
  });

  it.each([
    ['the client', { retries: 0 }, {}],
    ['the call', {}, { retries: 0 }],
  ])('are limited by %s', async (_, options, callOptions) => {
    await using server = await startServer(hangUp);
    const { client: c } = client(server.url, options);
    expect(await failureOf(c.user.me({}, callOptions))).toMatchObject({ name: 'NetworkError', sent: true });
    expect(server.seen).toHaveLength(1);
  });

  it('do not honor a Retry-After above 30 s', async () => {
    await using server = await startServer(refuse('overloaded', { 'retry-after': '31' }));
    const { clock, client: c } = client(server.url);
    expect(await failureOf(c.user.me())).toMatchObject({ code: 'overloaded', retryAfterMs: 31_000 });
    expect(server.seen).toHaveLength(1);
    expect(clock.waits).toEqual([]);
  });

  it('never repeat a POST by themselves', async () => {
    await using server = await startServer(refuse('overloaded', { 'retry-after': '0' }));
    const { client: c } = client(server.url);
    await failureOf(c.apiToken.create({ body: {} }));
    expect(server.seen).toHaveLength(1);
    await failureOf(c.apiToken.create({ body: {} }, { idempotent: true }));
    expect(server.seen).toHaveLength(4);
  });

  it('repeat a PUT, and a DELETE only when nothing was sent', async () => {
    await using server = await startServer(hangUp);
    const { client: c } = client(server.url);
    await failureOf(c.apiToken.update({ params: { id: 1 }, body: { name: 'x' } }));
    expect(server.seen.map(({ body }) => body)).toEqual(Array(3).fill('{"name":"x"}'));
    await failureOf(c.apiToken.remove({ params: { id: 1 } }));
    expect(server.seen).toHaveLength(4);

    const { clock, client: toNobody } = client(await closedPort());
    expect(await failureOf(toNobody.apiToken.remove({ params: { id: 1 } }))).toMatchObject({
      name: 'NetworkError',
      code: 'ECONNREFUSED',
      sent: false,
    });
    expect(clock.waits).toEqual([100, 200]);
  });
});

/** Url of a port without a listener. */
async function closedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : expect.unreachable();
}
