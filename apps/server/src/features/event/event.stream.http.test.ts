import { connect } from 'node:net';
import { createClient } from '@quarterdeck/sdk';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventCalls, isAbout, isOf } from '../../../test/event-calls.ts';
import { type Heard, listenEvents } from '../../../test/listen-events.ts';
import { startApi, type TestApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';
import { EVENTS } from '../../http/raw-endpoints.ts';

const HOUR_MS = 3_600_000;
const PING_MS = 15_000;

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ MAX_STREAMS_PER_USER: '1000' });
});
afterAll(() => api[Symbol.asyncDispose]());

const { append, ring, openRaw } = eventCalls(() => api);

/** Ids of the megabytes in a text of the stream. */
const idsOf = (text: string) => [...text.matchAll(/^id: (\d+)\nevent: errlog\.new\ndata: .*yyy/gm)].map(([, id]) => id);

/** Makes 3.6 MB of events, which somebody hears as they happen. */
async function megabytes(): Promise<Heard[]> {
  const start = Number((await ring()).at(-1)?.id ?? 0);
  await using stream = await listenEvents(api.admin);
  for (let batch = 0; batch < 3; batch += 1) {
    const logs = Array.from({ length: 80 }, () => `${word()} ${'y'.repeat(15_000)}`);
    await append(...logs);
    await Promise.all(logs.map((log) => stream.first(isAbout(log))));
  }
  const made = await ring(start);
  expect(made).toHaveLength(240);
  return made;
}

describe('the stream', () => {
  it('starts with the time to wait before a reconnect, and with a position', async () => {
    const newest = (await ring()).at(-1)?.id;
    const stream = await openRaw();
    expect(await stream.until((text) => text.includes('id: '))).toBe(`retry: 2000\n\nid: ${newest}\n\n`);
    expect(Object.fromEntries(stream.response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-accel-buffering': 'no',
      'x-request-id': expect.any(String),
    });
    await stream.cancel();
  });

  it('sends only the requested types, and resync', async () => {
    const log = word();
    await using stream = await listenEvents(api.admin, { types: ['errlog.repeated'] });
    await append(log);
    await api.agent();
    // A moment later, so that the repeat is one.
    await using other = await listenEvents(api.admin, { lastEventId: '0' });
    await other.first(isAbout(log, 'errlog.new'));
    await append(...Array.from({ length: 101 }, word));
    await other.first(({ type, data }) => type === 'resync' && data.reason === 'burst' && data.of === 'errlog');
    await append(log);
    await stream.first(isAbout(log));
    expect(stream.events.map(({ type }) => type)).toEqual(['resync', 'errlog.repeated']);
  });

  it('refuses unknown types', async () => {
    const headers = { 'edge-token': api.adminToken };
    for (const types of [
      'nonsense',
      'errlog.new,nonsense',
      'errlog.new,',
      ',',
      'ERRLOG.NEW',
      'errlog.*',
      '__proto__',
    ]) {
      const { status, body } = await api.fetch(`${EVENTS.path}?types=${types}`, { headers });
      expect([status, body.err.code], types).toEqual([400, 'validation_failed']);
      expect(body.err.fields).toEqual([{ path: 'query.types', message: expect.stringContaining('errlog.new') }]);
    }
    for (const types of ['', 'resync', 'errlog.new', 'errlog.new,errlog.new', 'errlog.new,%20agent.online']) {
      const stream = await openRaw({}, `?types=${types}`);
      expect(stream.response.status, types).toBe(200);
      await stream.cancel();
    }
  });

  it('sends each user only permitted events', async () => {
    const viewer = await api.person('viewer');
    const stranger = await api.person('viewer');
    const { db } = api.server.deps;
    await db.write((tx) => tx.prisma.user.update({ where: { id: stranger.id }, data: { role: 'none of ours' } }));
    await using seen = await listenEvents(viewer.client);
    await using unseen = await listenEvents(stranger.client);
    const log = word();
    await append(log);
    const agent = await api.agent();
    await seen.first(isAbout(log));
    await seen.first(isOf(agent.id));
    await append(...Array.from({ length: 101 }, word));
    await unseen.first(({ type }) => type === 'resync');
    expect(unseen.events.map(({ type }) => type)).toEqual(['resync']);
    // Asking for it by name does not help.
    const stream = await openRaw(
      { 'edge-token': stranger.token, 'last-event-id': seen.events[0]?.id ?? '' },
      '?types=errlog.new',
    );
    expect(await stream.until((text) => /id: \d+\n\n$/.test(text))).not.toContain('event: errlog');
    await stream.cancel();
  });

  it('refuses agents and requests without a credential', async () => {
    const { client } = await api.agent();
    await expect(listenEvents(client)).rejects.toMatchObject({ status: 403 });
    await expect(listenEvents(createClient({ url: api.url }))).rejects.toMatchObject({ status: 401 });
    const { token } = await api.admin.apiToken.create({ body: {} });
    await using stream = await listenEvents(createClient({ url: api.url, apiToken: token }));
    const log = word();
    await append(log);
    expect((await stream.first(isAbout(log))).type).toBe('errlog.new');
  });

  it('serves many clients; one that leaves does not affect the others', async () => {
    const streams = await Promise.all(Array.from({ length: 40 }, () => listenEvents(api.admin)));
    for (const stream of streams.slice(0, 20)) await stream[Symbol.asyncDispose]();
    const log = word();
    await append(log);
    for (const stream of streams.slice(20)) {
      await stream.first(isAbout(log));
      await stream[Symbol.asyncDispose]();
    }
    for (const stream of streams.slice(0, 20)) expect(stream.events).toEqual([]);
  });

  it('waits for slow readers, and disconnects none', async () => {
    const [slow, fast] = [await openRaw(), await openRaw()];
    let arrived = '';
    const reading = fast.until((text) => {
      arrived = text;
      return text.includes('the end of it');
    });
    const wanted = await megabytes();
    await append('the end of it');
    await reading;
    expect(idsOf(arrived)).toEqual(wanted.map(({ id }) => id));
    // Nobody has read a byte of this one yet.
    const text = await slow.until((heard) => heard.includes('the end of it'));
    expect(idsOf(text)).toEqual(wanted.map(({ id }) => id));
    const log = word();
    await append(log);
    expect(await slow.until((heard) => heard.includes(log))).toContain(log);
    await Promise.all([slow.cancel(), fast.cancel()]);
    // And somebody who was away gets it all at once.
    const before = String(Number(wanted[0]?.id) - 1);
    await using late = await listenEvents(api.admin, { lastEventId: before, types: ['errlog.new'] });
    await late.first(isAbout(log));
    expect(late.events.map(({ id }) => id).slice(0, wanted.length)).toEqual(wanted.map(({ id }) => id));
  });

  it('leaves nothing behind of clients that left before it began', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    for (let i = 0; i < 250; i += 1) {
      const socket = connect(api.server.port, '127.0.0.1');
      socket.on('error', () => {});
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.write(
        `GET ${EVENTS.path} HTTP/1.1\r\nHost: x\r\nedge-token: ${api.adminToken}\r\nLast-Event-ID: 0\r\n\r\n`,
        () => socket.destroy(),
      );
      await closed;
    }
    // A stream has two timers of its own; connections to the database have some, too.
    await vi.waitFor(() => expect(timers()).toBeLessThan(before + 30), { timeout: 5_000 });
  });
});

describe('a quiet stream', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('sends a ping every fifteen seconds', async () => {
    // The server's own intervals only; everything that waits for a network goes on.
    vi.useFakeTimers({ toFake: ['setInterval'] });
    const stream = await openRaw();
    await stream.until((text) => text.includes('id: '));
    for (const pings of [1, 2]) {
      vi.advanceTimersByTime(PING_MS);
      await stream.until((text) => text.split(': ping\n\n').length === pings + 1);
    }
    await stream.cancel();
  });
});

describe('the end of a stream', () => {
  it('comes when the server stops; the next stream starts with resync', async () => {
    await using first = await startApi();
    const log = word();
    await first.admin.errlog.append({ body: { level: 4, log } });
    const stream = await openRaw({ 'last-event-id': '0' }, '', first);
    const text = await stream.until((heard) => heard.includes(log));
    const place = /id: (\d+)\nevent: errlog\.new/.exec(text)?.[1] ?? '';
    const stopping = performance.now();
    await first.server.stop();
    await stream.until(() => false);
    expect(performance.now() - stopping).toBeLessThan(5_000);
    await using second = await startApi(first.sharing);
    await using listening = await listenEvents(second.admin, { lastEventId: place });
    const { id, data } = await listening.first(({ type }) => type === 'resync');
    expect(data).toEqual({ reason: 'restart', of: 'all' });
    expect(Number(id)).toBeGreaterThan(Number(place));
  });

  it('does not report an agent as silent before it had time to report', async () => {
    await using first = await startApi();
    const agent = await first.agent();
    await first.server.stop();
    await using second = await startApi(first.sharing);
    const { db } = second.server.deps;
    await db.write((tx) => tx.prisma.agent.update({ where: { id: agent.id }, data: { lastReportedMs: 1n } }));
    await using stream = await listenEvents(second.admin);
    await second.server.jobs.runAll();
    second.advance(80_000);
    await second.server.jobs.runAll();
    const other = await second.agent();
    await stream.first(isOf(other.id));
    expect(stream.events.filter(isOf(agent.id))).toEqual([]);
    second.advance(20_000);
    await second.server.jobs.runAll();
    expect((await stream.first(isOf(agent.id))).type).toBe('agent.offline');
  });

  // This one moves the clock far.
  it('of the ring is after a day, and ids continue', async () => {
    const { token } = await api.admin.apiToken.create({ body: {} });
    const client = createClient({ url: api.url, apiToken: token });
    const place = (await ring()).at(-1)?.id ?? '';
    api.advance(23 * HOUR_MS);
    await client.errlog.append({ body: { level: 4, log: word() } });
    await using stream = await listenEvents(client, { lastEventId: place });
    await stream.first(({ type }) => type === 'errlog.new');
    api.advance(2 * HOUR_MS);
    await api.server.jobs.runAll();
    const kept = await ring();
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.every(({ id }) => Number(id) > Number(place))).toBe(true);
    api.advance(24 * HOUR_MS);
    await api.server.jobs.runAll();
    const log = word();
    await client.errlog.append({ body: { level: 4, log } });
    const heard = await stream.first(isAbout(log));
    expect(Number(heard.id)).toBeGreaterThan(Number(kept.at(-1)?.id));
    await using late = await listenEvents(client, { lastEventId: place });
    expect((await late.first(() => true)).type).toBe('resync');
  });
});
