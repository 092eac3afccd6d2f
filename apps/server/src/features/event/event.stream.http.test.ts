import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { eventCalls, isAbout, isOf } from '../../../test/event-calls.ts';
import { lastingAdmin } from '../../../test/lasting-admin.ts';
import { listenEvents } from '../../../test/listen-events.ts';
import { PATIENCE } from '../../../test/patience.ts';
import { startApi, useApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';
import { EVENTS } from '../../http/endpoints/raw-endpoints.ts';

const HOUR_MS = 3_600_000;
const PING_MS = 15_000;
const MAX_STREAMS = 40;

const api = useApi({ MAX_STREAMS_PER_USER: String(MAX_STREAMS) });

const { append, ring, openRaw } = eventCalls(() => api);

describe('the stream', () => {
  it('starts with the time to wait before a reconnect, and with a position', async () => {
    const before = Number((await ring()).at(-1)?.id);
    const stream = await openRaw();
    // An event that another test caused may come before the position.
    const start = /^retry: 2000\n\n(?:[\s\S]*\n\n)?id: (\d+)\n\n/;
    const [, id] = start.exec(await stream.until((text) => start.test(text))) ?? [];
    expect(Number(id)).toBeGreaterThanOrEqual(before);
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
    // In the second of the burst, a repeat is a part of it.
    await expect
      .poll(async () => {
        await append(log);
        return stream.events.some(isAbout(log));
      })
      .toBe(true);
    expect(new Set(stream.events.map(({ type }) => type))).toEqual(new Set(['resync', 'errlog.repeated']));
    expect(stream.events[0]?.type).toBe('resync');
  });

  it('refuses unknown types', async () => {
    const headers = { 'edge-token': api.adminToken };
    for (const types of ['errlog.new,nonsense', 'errlog.new,', 'ERRLOG.NEW', 'errlog.*', '__proto__']) {
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

  it('leaves nothing behind of clients that left before it began', async () => {
    const { token } = await api.person('viewer');
    const { events } = api.server.deps;
    const before = events.subscribers();
    for (let i = 0; i < MAX_STREAMS + 1; i += 1) {
      const socket = connect(api.server.port, '127.0.0.1');
      socket.on('error', () => {});
      const closed = once(socket, 'close');
      const head = `GET ${EVENTS.path} HTTP/1.1\r\nHost: x\r\nedge-token: ${token}\r\nLast-Event-ID: 0\r\n\r\n`;
      socket.write(head, () => socket.destroy());
      await closed;
    }
    await expect.poll(() => events.subscribers()).toBe(before);
    // None of them counts for the limit of the user.
    const stream = await vi.waitUntil(async () => {
      const opened = await openRaw({ 'edge-token': token });
      return opened.response.status === 200 && opened;
    }, PATIENCE);
    await stream.cancel();
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
      const text = await stream.until((heard) => heard.split(': ping\n\n').length === pings + 1);
      expect(text.split(': ping\n\n')).toHaveLength(pings + 1);
    }
    await stream.cancel();
  });
});

describe('the stop of a server', () => {
  it('ends its streams; the next one starts with resync', async () => {
    const log = word();
    await using first = await startApi();
    await first.admin.errlog.append({ body: { level: 4, log } });
    const stream = await openRaw({ 'last-event-id': '0' }, '', first);
    const text = await stream.until((heard) => heard.includes(log));
    const place = /id: (\d+)\nevent: errlog\.new/.exec(text)?.[1] ?? '';
    await first.server.stop();
    await stream.until(() => false);
    await using next = await startApi(first.sharing);
    await using listening = await listenEvents(next.admin, { lastEventId: place });
    const { id, data } = await listening.first(({ type }) => type === 'resync');
    expect(data).toEqual({ reason: 'restart', of: 'all' });
    expect(Number(id)).toBeGreaterThan(Number(place));
  });
});

describe('the ring of events', () => {
  it('forgets events after a day, and ids continue', async () => {
    await using own = await startApi();
    const { client } = await lastingAdmin(own);
    const { append: appendTo, ring: ringOf } = eventCalls(() => ({ ...own, admin: client }));
    const place = (await ringOf()).at(-1)?.id ?? '';
    own.advance(23 * HOUR_MS);
    await appendTo(word());
    await using stream = await listenEvents(client, { lastEventId: place });
    await stream.first(({ type }) => type === 'errlog.new');
    own.advance(2 * HOUR_MS);
    await own.server.jobs.runAll();
    const kept = await ringOf();
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.every(({ id }) => Number(id) > Number(place))).toBe(true);
    own.advance(24 * HOUR_MS);
    await own.server.jobs.runAll();
    const log = word();
    await appendTo(log);
    const heard = await stream.first(isAbout(log));
    expect(Number(heard.id)).toBeGreaterThan(Number(kept.at(-1)?.id));
    await using late = await listenEvents(client, { lastEventId: place });
    expect((await late.first(() => true)).type).toBe('resync');
  });
});
