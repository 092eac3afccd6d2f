import { createClient } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { agent, entry, FakeServer } from '../../test/fake-server.ts';
import { createSession } from '../data/session.ts';
import { type First, readAhead } from './read-ahead.ts';

const FIRST: First = { screen: 'overview', nowMs: 1_700_000_000_000, buckets: 100 };

function asking(first: Partial<First> = {}, permissions = new FakeServer().permissions, refused = '') {
  const server = new FakeServer();
  server.refuse.set(refused, { code: 'forbidden', message: 'not allowed' });
  server.errlog = [entry(1)];
  server.agents = [agent(1)];
  server.permissions = permissions;
  const client = createClient({ url: server.url, apiToken: server.token, fetch: server.fetch });
  const subject = { kind: 'user' as const, permissions, credential: { kind: 'session' as const } };
  return { server, ahead: readAhead(client, subject, { ...FIRST, ...first }) };
}

const nouns = (server: FakeServer): string[] => [
  ...new Set(server.seen.map(({ path }) => /errlog|agents|api_token/.exec(path)?.[0] ?? path)),
];

describe('reading ahead', () => {
  it('reads the data of the overview and hands each answer over once', async () => {
    const { server, ahead } = asking();
    const fleet = await ahead.take('fleet');
    expect(fleet?.totals.count).toBe(1);
    expect((await ahead.take('errors', 100))?.top.map(({ id }) => id)).toEqual([1]);
    expect((await ahead.take('tokens'))?.data).toEqual([]);
    expect(nouns(server).sort()).toEqual(['agents', 'api_token', 'errlog']);
    expect(ahead.take('fleet')).toBeUndefined();
  });

  it('keeps the answer to a request of another size', () => {
    expect(asking().ahead.take('errors', 99)).toBeUndefined();
    expect(asking({ screen: 'errlog' }).ahead.take('fleet')).toBeUndefined();
  });

  it('asks for nothing that the user may not see', async () => {
    const { server, ahead } = asking({}, ['agent:read']);
    await ahead.take('fleet');
    expect(nouns(server)).toEqual(['agents']);
    expect(ahead.take('errors', 100)).toBeUndefined();
  });

  it('asks for nothing where the first screen is another one', () => {
    expect(asking({ screen: 'users' }).server.seen).toEqual([]);
  });

  it('leaves a failure to the screen that takes the answer', async () => {
    const { ahead } = asking({}, undefined, '/api/agents');
    // Nobody has taken it by then; a rejection that nobody hears would end the program.
    await ahead.take('tokens');
    await expect(ahead.take('fleet')).rejects.toThrow('not allowed');
  });
});

describe('a session', () => {
  const session = (server: FakeServer) =>
    createSession({ url: server.url, apiToken: server.token, fetch: server.fetch });

  it('reads the user once, however often it is started', async () => {
    const server = new FakeServer();
    const one = session(server);
    one.start();
    one.start();
    await one.settled();
    expect(one.state().status).toBe('signedIn');
    expect(server.seen.map(({ path }) => path)).toEqual(['/admin-api/user/me']);
    one.close();
  });
});
