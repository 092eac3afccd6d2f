import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../../test/thoroughness.ts';
import { eventCalls, isAbout, isOf } from '../../../test/event-calls.ts';
import { type Heard, listenEvents } from '../../../test/listen-events.ts';
import { type TestApi, useApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';
import { createAnnouncer } from '../errlog/errlog.announcer.ts';

const ROUNDS = atMost(10, 30);

const api = useApi();

const { append, ring, openRaw } = eventCalls(() => api);

const beat = ({ client, id }: Awaited<ReturnType<TestApi['agent']>>, body: object = {}) =>
  client.agent.heartbeat({ params: { id }, body });

describe('events of error logs', () => {
  it('announce a new group and its repeats, as the list shows them', async () => {
    await using stream = await listenEvents(api.admin);
    const log = word();
    await append(log);
    const first = await stream.first(isAbout(log));
    expect(first).toMatchObject({ type: 'errlog.new', data: { count: 1, level: 4, state: 'new', source: 'admin' } });
    await append(log, log);
    const second = await stream.first(isAbout(log, 'errlog.repeated'));
    expect(second.data).toMatchObject({ id: first.data.id, count: 3 });
    const { data } = await api.admin.errlog.list({ query: { detail: 1, page_size: 10_000 } });
    expect(data.find(({ id }) => id === first.data.id)).toEqual(second.data);
  });

  it('announce many repeats of a moment once', async () => {
    await using stream = await listenEvents(api.admin);
    const [log, last] = [word(), word()];
    await append(log);
    const { id } = (await stream.first(isAbout(log))).data;
    const { deps } = api.server;
    const announcer = createAnnouncer(deps.db, deps.events, deps.log);
    for (let i = 0; i < 50; i += 1) announcer.note({ created: [], repeated: [id], regressed: [], unmuted: [] });
    await announcer.close();
    await append(last);
    await stream.first(isAbout(last));
    expect(stream.events.filter(isAbout(log)).map(({ type }) => type)).toEqual(['errlog.new', 'errlog.repeated']);
  });

  it('announce each of a hundred groups, and more at once as many', async () => {
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
    const heard = stream.events.slice(before).filter(({ type }) => !type.startsWith('agent.'));
    expect(heard.map(({ type }) => type)).toEqual(['resync', 'errlog.repeated']);
  });

  it('come in the order of their times within a moment', async () => {
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

describe('events of agents', () => {
  it('announce arrivals, changes, departures and returns, not mere reports', async () => {
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
    await stream.until(() => stream.events.filter(isOf(agent.id)).length === 10);
    const heard = stream.events.filter(isOf(agent.id)).map(({ type, data }) => [type, data.online, data.ip, data.env]);
    expect(heard).toEqual([
      ['agent.registered', true, '', 'unknown'],
      ['agent.online', true, '', 'unknown'],
      ['agent.changed', true, '192.0.2.7', 'unknown'],
      ['agent.offline', false, '192.0.2.7', 'unknown'],
      ['agent.online', true, '192.0.2.7', 'unknown'],
      ['agent.offline', false, '192.0.2.7', 'unknown'],
      ['agent.changed', true, '192.0.2.7', 'vm'],
      ['agent.online', true, '192.0.2.7', 'vm'],
      ['agent.registered', true, '192.0.2.7', 'vm'],
      ['agent.online', true, '192.0.2.7', 'vm'],
    ]);
    const { data } = await api.admin.agent.list.page({ query: { detail: 1 } });
    const last = stream.events.findLast(isOf(agent.id));
    expect(data.find(({ id }) => id === agent.id)).toEqual(last?.data);
  });

  it('exclude deleted agents', async () => {
    await using stream = await listenEvents(api.admin);
    const [deleted, other] = [await api.agent(), await api.agent()];
    const { db } = api.server.deps;
    await db.write((tx) => tx.prisma.agent.update({ where: { id: deleted.id }, data: { isDeleted: true } }));
    api.advance(200_000);
    await api.server.jobs.runAll();
    await stream.first(isOf(other.id, 'agent.offline'));
    expect(stream.events.filter(isOf(deleted.id)).map(({ type }) => type)).toEqual([
      'agent.registered',
      'agent.online',
    ]);
  });
});

describe('a subscriber that reconnects', () => {
  it('receives all missed events, once and in order, then live ones', async () => {
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
    const missed = (await ring(Number(position))).filter((event) => isOf(agent.id)(event) || isAbout(log)(event));
    expect(missed).toHaveLength(5);
    // From each place in between.
    for (const [i, { id }] of missed.entries()) {
      await using stream = await listenEvents(api.admin, { lastEventId: id });
      await beat(agent, { ip: `198.51.100.${i}` });
      await stream.first((event) => isOf(agent.id)(event) && event.data.ip === `198.51.100.${i}`);
      const heard = [...stream.events];
      expect(heard).toEqual((await ring(Number(id))).slice(0, heard.length));
    }
    await using stream = await listenEvents(api.admin, { lastEventId: position, types: ['errlog.new'] });
    await append(later);
    await stream.first(isAbout(later));
    expect(stream.events.map(({ data }) => data.log)).toEqual([log, later]);
  });

  it('misses no event while it reconnects', async () => {
    const agents = await Promise.all(Array.from({ length: 4 }, () => api.agent()));
    const start = (await ring()).at(-1)?.id ?? '0';
    const ofThese = ({ type, data }: Heard) => type === 'agent.changed' && agents.some(({ id }) => id === data.id);
    const streams: Promise<Awaited<ReturnType<typeof listenEvents>>>[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      if (round % 2 === 0) streams.push(listenEvents(api.admin, { lastEventId: start }));
      await Promise.all(agents.map((agent) => beat(agent, { ip: `203.0.113.${round}` })));
    }
    const wanted = (await ring(Number(start))).filter(ofThese);
    expect(wanted).toHaveLength(ROUNDS * agents.length);
    for (const stream of await Promise.all(streams)) {
      await stream.first(({ id }) => id === wanted.at(-1)?.id);
      expect(stream.events.filter(ofThese)).toEqual(wanted);
      await stream[Symbol.asyncDispose]();
    }
  });

  it.each(['999999999999', '-1', 'x', '1e3', '0x10', '9'.repeat(40)])(
    'gets `resync` where the ring does not know its position: %s',
    async (place) => {
      const stream = await openRaw({ 'last-event-id': place });
      const text = await stream.until((heard) => /\n\nid: \d+\n\n$/.test(heard));
      const [, id] =
        /\n\nid: (\d+)\nevent: resync\ndata: {"reason":"missed","of":"all"}\n\nid: \1\n\n$/.exec(text) ?? [];
      // Nothing else is, and the next place is one that the ring knows.
      expect(text.match(/^event: /gm)).toHaveLength(1);
      await stream.cancel();
      const again = await openRaw({ 'last-event-id': id ?? '' });
      expect(await again.until((heard) => /\n\nid: \d+\n\n/.test(heard))).not.toContain('resync');
      await again.cancel();
    },
  );

  it('gets `resync` where the ring has lost events in between', async () => {
    const agent = await api.agent();
    for (const ip of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']) await beat(agent, { ip });
    const events = (await ring()).filter(isOf(agent.id));
    const [lost, edge, kept] = events.slice(-3) as [Heard, Heard, Heard];
    const { db } = api.server.deps;
    await db.write((tx) => tx.prisma.event.deleteMany({ where: { id: { lte: BigInt(edge.id) } } }));
    {
      await using stream = await listenEvents(api.admin, { lastEventId: lost.id });
      await beat(agent, { ip: '192.0.2.5' });
      const heard = await stream.until((event) => isOf(agent.id)(event) && event.data.ip === '192.0.2.5');
      expect(heard[0]).toMatchObject({ type: 'resync', data: { reason: 'missed', of: 'all' } });
      expect(Number(heard[0]?.id)).toBeGreaterThanOrEqual(Number(kept.id));
      expect(heard.filter(isOf(agent.id))).toHaveLength(1);
    }
    // The last one that is gone is where the ring begins: nothing is missing.
    await using stream = await listenEvents(api.admin, { lastEventId: edge.id });
    await stream.first((event) => isOf(agent.id)(event) && event.data.ip === '192.0.2.5');
    expect(stream.events.filter(isOf(agent.id)).map(({ data }) => data.ip)).toEqual(['192.0.2.4', '192.0.2.5']);
    expect(stream.events.some(({ type }) => type === 'resync')).toBe(false);
  });
});

describe('a subscriber', () => {
  it('receives all events of a commit', async () => {
    const { db, events } = api.server.deps;
    const heard: string[] = [];
    const { stop } = await events.subscribe(
      {
        types: new Set(['agent.removed']),
        onEvent: ({ data }) => heard.push(data),
        isBehind: () => false,
        ready: () => Promise.resolve(true),
        onLost: () => heard.push('lost'),
      },
      undefined,
    );
    const all = Array.from({ length: 1_234 }, (_, n) => ({ type: 'agent.removed' as const, data: { id: n + 1 } }));
    await db.write((tx) => events.publish(tx, all));
    await expect.poll(() => heard.length).toBe(all.length);
    expect(heard.map((data) => JSON.parse(data))).toEqual(all.map(({ data }) => data));
    stop();
  });
});
