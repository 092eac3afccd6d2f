import type { QuarterdeckEvent } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../../test/start-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

/** Reads a client's event stream in the background. */
async function listen(client: Client, lastEventId?: string) {
  const events: QuarterdeckEvent[] = [];
  const done = new AbortController();
  const opened = Promise.withResolvers<void>();
  const onStatus = (status: string) => status === 'open' && opened.resolve();
  const reading = (async () => {
    for await (const event of client.events({ signal: done.signal, lastEventId, onStatus } as never))
      events.push(event);
  })().catch((error: unknown) => opened.reject(error));
  await opened.promise;
  return {
    events,
    /** Waits for an event that fits. */
    find: (fits: (event: QuarterdeckEvent) => boolean) => expect.poll(() => events.find(fits), { timeout: 10_000 }),
    async [Symbol.asyncDispose]() {
      done.abort();
      await reading;
    },
  };
}

const isAbout = (log: string) => (event: QuarterdeckEvent) =>
  event.type.startsWith('errlog.') && (event.data as { log: string }).log === log;

describe('the event stream', () => {
  it('tells of new groups, and of those that happen again', async () => {
    await using stream = await listen(api.admin);
    await api.admin.errlog.append({ body: { level: 4, log: 'it broke' } });
    await stream.find(isAbout('it broke')).toMatchObject({
      type: 'errlog.new',
      data: { level: 4, count: 1, log: 'it broke', state: 'new', source: 'api' },
    });
    await api.admin.errlog.append({ body: { level: 4, log: 'it broke' } });
    await stream
      .find((event) => event.type === 'errlog.repeated' && event.data.log === 'it broke')
      .toMatchObject({ data: { count: 2 } });
  });

  it('tells of agents that come, change, go silent, come back and leave', async () => {
    await using own = await startApi({ AGENT_INTERVAL: '10' });
    await using stream = await listen(own.admin);
    const agent = await own.agent();
    const sees = (type: string) =>
      stream.find((event) => event.type === type).toMatchObject({ data: { id: agent.id } });
    await sees('agent.registered');
    await agent.client.agent.heartbeat({ params: { id: agent.id }, body: { note: 'ignored' } as never });
    await agent.client.agent.heartbeat({ params: { id: agent.id }, body: { ip: '192.0.2.7' } });
    await sees('agent.changed');
    own.advance(60_000);
    await own.server.jobs.runAll();
    await sees('agent.offline');
    await agent.client.agent.heartbeat({ params: { id: agent.id }, body: {} });
    await sees('agent.online');
    await agent.client.agent.shutdown({ params: { id: agent.id } });
    await expect.poll(() => stream.events.filter(({ type }) => type === 'agent.offline')).toHaveLength(2);
  });

  it('gives a subscriber who comes back everything from where they were, once and in order', async () => {
    const logs = ['first of three', 'second of three', 'third of three'];
    let from: string;
    {
      await using stream = await listen(api.admin);
      await api.admin.errlog.append({ body: { level: 3, log: 'the mark' } });
      await stream.find(isAbout('the mark')).toBeDefined();
      from = stream.events.find(isAbout('the mark'))?.id ?? '';
    }
    for (const log of logs) {
      await using stream = await listen(api.admin);
      await api.admin.errlog.append({ body: { level: 3, log } });
      await stream.find(isAbout(log)).toBeDefined();
    }
    await using stream = await listen(api.admin, from);
    await stream.find(isAbout('third of three')).toBeDefined();
    expect(stream.events.map(({ data }) => (data as { log: string }).log)).toEqual(logs);
  });

  it('says so when the ring no longer holds what came in between', async () => {
    await using own = await startApi();
    await own.admin.errlog.append({ body: { level: 3, log: 'long ago' } });
    {
      await using stream = await listen(own.admin, '0');
      await stream.find(isAbout('long ago')).toBeDefined();
    }
    own.advance(25 * 3_600_000);
    await own.server.jobs.runAll();
    const { db } = own.server.deps;
    await db.write((tx) =>
      own.server.deps.events.publish(tx, [{ type: 'resync', data: { reason: 'test', of: 'agent' } }]),
    );
    const response = await fetch(`${own.url}/admin-api/events`, {
      headers: { 'edge-token': (await own.person('viewer')).token, 'last-event-id': '1' },
    });
    const reader = response.body?.getReader();
    let text = '';
    while (!text.includes('resync')) text += new TextDecoder().decode((await reader?.read())?.value);
    expect(text).toContain('"reason":"missed"');
    await reader?.cancel();
  });

  it('is one resync for a burst of more groups than anybody would read', async () => {
    await using stream = await listen(api.admin);
    const words = Array.from(
      { length: 300 },
      (_, i) => `${String.fromCharCode(97 + (i % 26))}${'xyz'[i % 3]}${'q'.repeat((1 + i / 26) | 0)}`,
    );
    await api.admin.errlog.append({ body: words.map((word) => ({ level: 4, log: `the ${word} thing failed` })) });
    await stream.find((event) => event.type === 'resync').toMatchObject({ data: { reason: 'burst', of: 'errlog' } });
    expect(stream.events.filter(({ type }) => type === 'errlog.new')).toEqual([]);
  });

  it('knows its types', async () => {
    const headers = { 'edge-token': api.adminToken };
    const { status, body } = await api.fetch('/admin-api/events?types=errlog.new,nonsense', { headers });
    expect(status).toBe(400);
    expect(body.err.fields).toEqual([{ path: 'query.types', message: expect.stringContaining('nonsense') }]);
  });

  it('is closed to those who are not signed in, and to agents', async () => {
    expect((await api.fetch('/admin-api/events')).status).toBe(401);
    const { secret } = await api.agent();
    expect((await api.fetch('/admin-api/events', { headers: { 'api-token': secret } })).status).toBe(403);
  });

  it('ends when the server stops', async () => {
    const own = await startApi();
    const response = await fetch(`${own.url}/admin-api/events`, { headers: { 'edge-token': own.adminToken } });
    const read = response.text();
    await own[Symbol.asyncDispose]();
    expect(await read).toContain('retry:');
  });
});
