import { describe, expect, it } from 'vitest';
import { failureOf } from '../../test/failure-of.ts';
import { hangUp, inTurn, ok, refuse, startServer, text } from '../../test/start-server.ts';
import { testClock } from '../../test/test-clock.ts';
import { type ClientOptions, createClient } from '../index.ts';

describe('retries', () => {
  const client = (url: string, options: Partial<ClientOptions> = {}) => {
    const clock = testClock();
    return { clock, client: createClient({ url, clock, ...options }) };
  };

  it('repeat a reading call until it succeeds', async () => {
    const proxy = text(503, 'text/plain', 'later', { 'retry-after': '4' });
    await using server = await startServer(inTurn(proxy, refuse('overloaded', { 'retry-after': '3' }), ok({ id: 1 })));
    const { clock, client: c } = client(server.url);
    expect(await c.user.me()).toEqual({ id: 1 });
    expect(server.seen).toHaveLength(3);
    expect(clock.waits).toEqual([4_100, 3_100]);
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

  it('repeat a POST, with its body, only when they are asked to', async () => {
    await using server = await startServer(refuse('overloaded', { 'retry-after': '0' }));
    const { client: c } = client(server.url);
    await failureOf(c.apiToken.create({ body: {} }));
    expect(server.seen).toHaveLength(1);
    await failureOf(c.apiToken.create({ body: { name: 'x' } }, { idempotent: true }));
    expect(server.seen.slice(1).map(({ body }) => body)).toEqual(Array(3).fill('{"name":"x"}'));
  });
});
