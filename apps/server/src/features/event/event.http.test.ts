import { connect } from 'node:net';
import { createClient } from '@quarterdeck/sdk';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Heard, listenEvents } from '../../../test/listen-events.ts';
import { startApi, type TestApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';

const PATH = '/admin-api/events';
const HOUR_MS = 3_600_000;
const PING_MS = 15_000;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const append = (...logs: string[]) =>
  api.admin.errlog.append({ body: logs.map((log) => ({ level: 4, log, log_time: Math.floor(api.now() / 1000) })) });

const isAbout =
  (log: string, type = 'errlog.') =>
  (event: Heard) =>
    event.type.startsWith(type) && event.data.log === log;

const isOf =
  (agentId: number, type = 'agent.') =>
  (event: Heard) =>
    event.type.startsWith(type) && event.data.id === agentId;

const beat = ({ client, id }: Awaited<ReturnType<TestApi['agent']>>, body: object = {}) =>
  client.agent.heartbeat({ params: { id }, body });

/** The ring as it is stored: what every subscriber must hear of it. */
async function ring(after = 0): Promise<Heard[]> {
  const rows = await api.server.deps.db.read.prisma.event.findMany({
    where: { id: { gt: after } },
    orderBy: { id: 'asc' },
  });
  return rows.map(({ id, type, data }) => ({ id: String(id), type: type as Heard['type'], data: JSON.parse(data) }));
}

/** Ids of the megabytes in a text of the stream. */
const idsOf = (text: string) => [...text.matchAll(/^id: (\d+)\nevent: errlog\.new\ndata: .*yyy/gm)].map(([, id]) => id);

/** The stream as bytes, for what the client library takes care of. */
async function openRaw(headers: Record<string, string> = {}, query = '', own = api) {
  const response = await fetch(`${own.url}${PATH}${query}`, { headers: { 'edge-token': own.adminToken, ...headers } });
  const reader = (response.body ?? new Response('').body)?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let ended = false;
  return {
    response,
    get text() {
      return text;
    },
    async until(fits: (text: string) => boolean): Promise<string> {
      while (!fits(text) && !ended) {
        const { value, done } = (await reader?.read()) ?? { value: '', done: true };
        text += value ?? '';
        ended = done;
      }
      return text;
    },
    cancel: () => reader?.cancel(),
  };
}

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

describe('what is told of error logs', () => {
  it('is a new group, and that it happens again, each as the list shows it', async () => {
    await using stream = await listenEvents(api.admin);
    const log = word();
    await append(log);
    const first = await stream.first(isAbout(log));
    expect(first).toMatchObject({ type: 'errlog.new', data: { count: 1, level: 4, state: 'new', source: 'api' } });
    await append(log, log);
    const second = await stream.first(isAbout(log, 'errlog.repeated'));
    expect(second.data).toMatchObject({ id: first.data.id, count: 3 });
    const { data } = await api.admin.errlog.list({ query: { detail: 1, page_size: 10_000 } });
    expect(data.find(({ id }) => id === first.data.id)).toEqual(second.data);
  });

  it('is said once for many repeats of a moment', async () => {
    await using stream = await listenEvents(api.admin);
    const log = word();
    await Promise.all(Array.from({ length: 50 }, () => append(log, log)));
    const heard = (await stream.until((event) => isAbout(log)(event) && event.data.count === 100)).filter(isAbout(log));
    expect(heard[0]?.type).toBe('errlog.new');
    expect(heard.slice(1).every(({ type }) => type === 'errlog.repeated')).toBe(true);
    expect(heard.length).toBeLessThan(25);
    expect(heard.map(({ data }) => data.count)).toEqual(heard.map(({ data }) => data.count).sort((a, b) => a - b));
  });

  it('is each of a hundred groups, and of more at once that there are many', async () => {
    await using stream = await listenEvents(api.admin);
    const hundred = Array.from({ length: 100 }, word);
    await append(...hundred);
    const last = hundred.at(-1) ?? '';
    await Promise.all(hundred.map((log) => stream.first(isAbout(log, 'errlog.new'))));
    const before = stream.events.length;
    const more = Array.from({ length: 101 }, word);
    await append(...more);
    const resync = await stream.first(({ type }) => type === 'resync');
    expect(resync.data).toEqual({ reason: 'burst', of: 'errlog' });
    // It stands for all of them.
    await append(last);
    await stream.first(isAbout(last, 'errlog.repeated'));
    expect(stream.events.slice(before).map(({ type }) => type)).toEqual(['resync', 'errlog.repeated']);
  });

  it('comes in the order of their times within a moment', async () => {
    await using stream = await listenEvents(api.admin);
    const logs = Array.from({ length: 5 }, word);
    const log_time = Math.floor(api.now() / 1000) - 100;
    const lines = logs.map((log, i) => ({ level: 4, log, log_time: log_time + i }));
    await api.admin.errlog.append({ body: lines.toReversed() });
    await Promise.all(logs.map((log) => stream.first(isAbout(log))));
    const heard = stream.events.filter(({ data }) => logs.includes(data.log)).map(({ data }) => data.log);
    expect(heard).toEqual(logs);
  });
});

describe('what is told of agents', () => {
  it('is that they come, change, leave and are back; not that they are still there', async () => {
    await using stream = await listenEvents(api.admin);
    const agent = await api.agent();
    await beat(agent);
    await beat(agent, { ip: '192.0.2.7' });
    await beat(agent, { ip: '192.0.2.7' });
    await agent.client.agent.shutdown({ params: { id: agent.id } });
    await beat(agent);
    await beat(agent);
    // Back and changed at once.
    await agent.client.agent.shutdown({ params: { id: agent.id } });
    await beat(agent, { env: 'vm' });
    await api.agent(agent.nodeId);
    await stream.until((event) => isOf(agent.id, 'agent.registered')(event) && event.data.env === 'vm');
    const heard = stream.events.filter(isOf(agent.id)).map(({ type, data }) => [type, data.online, data.ip, data.env]);
    expect(heard).toEqual([
      ['agent.registered', true, '', 'unknown'],
      ['agent.changed', true, '192.0.2.7', 'unknown'],
      ['agent.offline', false, '192.0.2.7', 'unknown'],
      ['agent.online', true, '192.0.2.7', 'unknown'],
      ['agent.offline', false, '192.0.2.7', 'unknown'],
      ['agent.changed', true, '192.0.2.7', 'vm'],
      ['agent.online', true, '192.0.2.7', 'vm'],
      ['agent.registered', true, '192.0.2.7', 'vm'],
    ]);
    const { data } = await api.admin.agent.list.page({ query: { detail: 1 } });
    const last = stream.events.findLast(isOf(agent.id));
    expect(data.find(({ id }) => id === agent.id)).toEqual(last?.data);
  });

  it('is that they went silent, once', async () => {
    await using stream = await listenEvents(api.admin);
    const [silent, alive] = [await api.agent(), await api.agent()];
    api.advance(80_000);
    await api.server.jobs.runAll();
    await beat(alive);
    api.advance(20_000);
    await api.server.jobs.runAll();
    await api.server.jobs.runAll();
    expect((await stream.first(isOf(silent.id, 'agent.offline'))).data.online).toBe(false);
    await beat(silent);
    await beat(alive, { ip: '192.0.2.8' });
    await stream.first(isOf(alive.id, 'agent.changed'));
    const types = (id: number) => stream.events.filter(isOf(id)).map(({ type }) => type);
    expect(types(silent.id)).toEqual(['agent.registered', 'agent.offline', 'agent.online']);
    expect(types(alive.id)).toEqual(['agent.registered', 'agent.changed']);
  });

  it('is nothing of those who are deleted', async () => {
    await using stream = await listenEvents(api.admin);
    const [deleted, other] = [await api.agent(), await api.agent()];
    const { db } = api.server.deps;
    await db.write((tx) => tx.prisma.agent.update({ where: { id: deleted.id }, data: { isDeleted: true } }));
    api.advance(200_000);
    await api.server.jobs.runAll();
    await stream.first(isOf(other.id, 'agent.offline'));
    expect(stream.events.filter(isOf(deleted.id)).map(({ type }) => type)).toEqual(['agent.registered']);
  });
});

describe('a subscriber who comes back', () => {
  it('hears everything they missed, once and in order, and then what happens', async () => {
    const [log, later] = [word(), word()];
    const agent = await api.agent();
    let position = '';
    {
      await using stream = await listenEvents(api.admin);
      await beat(agent, { ip: '192.0.2.1' });
      position = (await stream.first(isOf(agent.id, 'agent.changed'))).id;
      await append(log);
      for (const ip of ['192.0.2.2', '192.0.2.3']) await beat(agent, { ip });
      await stream.first(isAbout(log));
    }
    for (const ip of ['192.0.2.4', '192.0.2.5']) await beat(agent, { ip });
    const missed = await ring(Number(position));
    expect(missed).toHaveLength(5);
    // From each place in between.
    for (const [i, { id }] of missed.entries()) {
      await using stream = await listenEvents(api.admin, { lastEventId: id });
      await beat(agent, { ip: `198.51.100.${i}` });
      await stream.first((event) => isOf(agent.id)(event) && event.data.ip === `198.51.100.${i}`);
      expect(stream.events).toEqual(await ring(Number(id)));
    }
    await using stream = await listenEvents(api.admin, { lastEventId: position, types: ['errlog.new'] });
    await append(later);
    await stream.first(isAbout(later));
    expect(stream.events.map(({ data }) => data.log)).toEqual([log, later]);
  });

  it('misses nothing of what happens while they are on their way', async () => {
    const agents = await Promise.all(Array.from({ length: 4 }, () => api.agent()));
    const start = (await ring()).at(-1)?.id ?? '0';
    const streams: Promise<Awaited<ReturnType<typeof listenEvents>>>[] = [];
    for (let round = 0; round < 30; round += 1) {
      if (round % 2 === 0) streams.push(listenEvents(api.admin, { lastEventId: start }));
      await Promise.all(agents.map((agent) => beat(agent, { ip: `203.0.113.${round}` })));
    }
    const wanted = await ring(Number(start));
    expect(wanted).toHaveLength(120);
    for (const stream of await Promise.all(streams)) {
      await stream.first(({ id }) => id === wanted.at(-1)?.id);
      expect(stream.events).toEqual(wanted);
      await stream[Symbol.asyncDispose]();
    }
  });

  it('is told to read again where the ring does not know their place', async () => {
    const newest = (await ring()).at(-1)?.id ?? '';
    for (const place of ['999999999999', '-1', 'x', '1e3', '0x10', '9'.repeat(40)]) {
      const stream = await openRaw({ 'last-event-id': place });
      const text = await stream.until((heard) => heard.includes(`id: ${newest}\n\n`));
      expect(text).toContain(`id: ${newest}\nevent: resync\ndata: {"reason":"missed","of":"all"}\n\n`);
      // Nothing else is, and the next place is one that the ring knows.
      expect(text.match(/^event: /gm)).toHaveLength(1);
      await stream.cancel();
      const again = await openRaw({ 'last-event-id': newest });
      expect(await again.until((heard) => heard.includes(`id: ${newest}\n\n`))).not.toContain('event: ');
      await again.cancel();
    }
  });

  it('is told to read again where the ring has lost what came in between', async () => {
    const agent = await api.agent();
    for (const ip of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']) await beat(agent, { ip });
    const events = await ring();
    const [lost, edge, kept] = events.slice(-3) as [Heard, Heard, Heard];
    const { db } = api.server.deps;
    await db.write((tx) => tx.prisma.event.deleteMany({ where: { id: { lte: BigInt(edge.id) } } }));
    {
      await using stream = await listenEvents(api.admin, { lastEventId: lost.id });
      await beat(agent, { ip: '192.0.2.5' });
      const heard = await stream.until((event) => isOf(agent.id)(event) && event.data.ip === '192.0.2.5');
      expect(heard.map(({ type }) => type)).toEqual(['resync', 'agent.changed']);
      expect(heard[0]).toMatchObject({ id: kept.id, data: { reason: 'missed', of: 'all' } });
    }
    // The last one that is gone is where the ring begins: nothing is missing.
    await using stream = await listenEvents(api.admin, { lastEventId: edge.id });
    await stream.first(({ id }) => Number(id) > Number(kept.id));
    expect(stream.events.map(({ data }) => data.ip)).toEqual(['192.0.2.4', '192.0.2.5']);
  });
});

describe('the stream', () => {
  it('begins with how long to wait before coming back, and with a place to come back to', async () => {
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

  it('tells only the types that are asked for, and resync', async () => {
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

  it('knows its types', async () => {
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
      const { status, body } = await api.fetch(`${PATH}?types=${types}`, { headers });
      expect([status, body.err.code], types).toEqual([400, 'validation_failed']);
      expect(body.err.fields).toEqual([{ path: 'query.types', message: expect.stringContaining('errlog.new') }]);
    }
    for (const types of ['', 'resync', 'errlog.new', 'errlog.new,errlog.new', 'errlog.new,%20agent.online']) {
      const stream = await openRaw({}, `?types=${types}`);
      expect(stream.response.status, types).toBe(200);
      await stream.cancel();
    }
  });

  it('shows everybody what they may see and no more', async () => {
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

  it('is closed to agents and to nobody in particular', async () => {
    const { client } = await api.agent();
    await expect(listenEvents(client)).rejects.toMatchObject({ status: 403 });
    await expect(listenEvents(createClient({ url: api.url }))).rejects.toMatchObject({ status: 401 });
    const { token } = await api.admin.apiToken.create({ body: {} });
    await using stream = await listenEvents(createClient({ url: api.url, apiToken: token }));
    const log = word();
    await append(log);
    expect((await stream.first(isAbout(log))).type).toBe('errlog.new');
  });

  it('serves many at once, and one who leaves is no matter to the others', async () => {
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

  it('waits for those who read slowly, and cuts off nobody', async () => {
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

  it('leaves nothing behind of those who left before it began', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    for (let i = 0; i < 250; i += 1) {
      const socket = connect(api.server.port, '127.0.0.1');
      socket.on('error', () => {});
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.write(`GET ${PATH} HTTP/1.1\r\nHost: x\r\nedge-token: ${api.adminToken}\r\nLast-Event-ID: 0\r\n\r\n`, () =>
        socket.destroy(),
      );
      await closed;
    }
    // A stream has two timers of its own; connections to the database have some, too.
    await vi.waitFor(() => expect(timers()).toBeLessThan(before + 30), { timeout: 5_000 });
  });
});

describe('the end of a stream', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('comes when the credential it was opened with is gone', async () => {
    // The server's own intervals only; everything that waits for a network goes on.
    vi.useFakeTimers({ toFake: ['setInterval'] });
    const person = await api.person('viewer');
    const [gone, stays] = [await openRaw({ 'edge-token': person.token }), await openRaw()];
    vi.advanceTimersByTime(PING_MS);
    expect(await gone.until((text) => text.includes(': ping'))).toContain(': ping\n\n');
    expect(await stays.until((text) => text.includes(': ping'))).toContain(': ping\n\n');
    await person.client.user.logout();
    vi.advanceTimersByTime(PING_MS);
    const text = await gone.until(() => false);
    expect(text.match(/: ping/g)).toHaveLength(1);
    await stays.until((heard) => heard.split(': ping').length === 3);
    await stays.cancel();
  });

  it('comes with the end of the server, and the next one says that something may be missing', async () => {
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

  it('of an agent that was silent before the server began is not told before it had time to report', async () => {
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
  it('of the ring is a day, and ids go on after it', async () => {
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
