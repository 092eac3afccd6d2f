import type { EventType } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { atMost, IS_THOROUGH } from '../../../../../test/thoroughness.ts';
import { failAtEachWrite } from '../../../test/failing-writes.ts';
import { newPlace, startApi, type TestApi } from '../../../test/start-api.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';
import { type Receiver, startReceiver, TO_RECEIVER } from '../../../test/webhook-receiver.ts';
import { word } from '../../../test/word.ts';
import { trimEvents } from '../event/event.repo.ts';
import { createFeed } from './webhook.feed.ts';

const api = useSteadyApi({}, { transports: TO_RECEIVER });
let receiver: Receiver;
beforeAll(async () => {
  // From its first round on, the sender is woken by writes.
  await settle();
});
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await api.server.deps.db.write((tx) => tx.prisma.webhook.deleteMany());
  await receiver[Symbol.asyncDispose]();
});

type Draft = Parameters<TestApi['admin']['webhook']['create']>[0]['body'];
const create = async (more: Partial<Draft>, path = '/') =>
  (await api.admin.webhook.create({ body: { name: path, url: receiver.url(path), ...more } })).id;
const update = (id: number, body: object) => api.admin.webhook.update({ params: { id }, body });
const publish = (...events: { type: EventType; data: unknown }[]) =>
  api.server.deps.db.write((tx) => api.server.deps.events.publish(tx, events));
const removed = (id: number) => ({ type: 'agent.removed', data: { id } }) as const;
const resync = (reason: string, of: string) => ({ type: 'resync', data: { reason, of } }) as const;
const settle = () => api.server.sender.settle();
const bodies = (path = '/') => receiver.on(path).map(({ body }) => body);
const eventCount = () => api.server.deps.db.read.prisma.event.count();

describe('a channel with types', () => {
  it('gets these events from its creation on, as the event stream has them', async () => {
    await publish(removed(1));
    await create({ types: ['agent.removed'] });
    await publish(removed(2), { type: 'user.revoked', data: { id: 3 } }, removed(4));
    await receiver.until(2);
    await settle();
    const [first, second] = bodies();
    expect(first).toEqual({ type: 'agent.removed', timestamp: expect.any(String), data: { id: 2 } });
    expect(Date.parse(first.timestamp)).toBeGreaterThan(api.now() - 60_000);
    expect(second.data).toEqual({ id: 4 });
    expect(bodies()).toHaveLength(2);
  });

  it('gets each event once, however often the sender looks', async () => {
    const id = await create({ types: ['agent.removed'] });
    for (let n = 1; n <= 5; n += 1) {
      await Promise.all([publish(removed(n)), settle(), settle()]);
    }
    await settle();
    expect(bodies().map(({ data }) => data.id)).toEqual([1, 2, 3, 4, 5]);
    const { eventId } = await api.server.deps.db.read.prisma.webhook.findUniqueOrThrow({ where: { id } });
    expect(eventId).toBeGreaterThan(0n);
  });

  it('misses nothing where all events were removed before it was created', async () => {
    await publish(removed(1));
    await api.server.deps.db.write(({ prisma }) => prisma.event.deleteMany());
    await create({ types: ['agent.removed'] });
    await publish(removed(2));
    await settle();
    expect(bodies().map(({ data }) => data.id)).toEqual([2]);
  });

  it('gets many at once', async () => {
    await create({ types: ['agent.removed'] });
    // More than it reads at once.
    const ids = Array.from({ length: 210 }, (_, n) => n);
    await publish(...ids.map(removed));
    await settle();
    expect(bodies().map(({ data }) => data.id)).toEqual(ids);
  });

  it('gets events about errors as its filter says', async () => {
    await create({ types: ['errlog.new'], filter: 'level:>=error service:shop' }, '/shop');
    await create({ types: ['errlog.new'] }, '/all');
    const [log, other] = [word(), word()];
    await api.admin.errlog.append({
      body: [
        { level: 'error', log, service: 'shop' },
        { level: 'error', log: other },
        { level: 'info', log: word(), service: 'shop' },
      ],
    });
    await receiver.until(4);
    await settle();
    expect(bodies('/shop').map(({ data }) => data.log)).toEqual([log]);
    expect(bodies('/all')).toHaveLength(3);
  });

  it('gets none of the time in which it was disabled or asked for none', async () => {
    const [disabled, silent] = [
      await create({ types: ['agent.removed'], enabled: false }, '/a'),
      await create({}, '/b'),
    ];
    await publish(removed(1));
    await settle();
    await update(disabled, { enabled: true });
    await update(silent, { types: ['agent.removed'] });
    await publish(removed(2));
    await settle();
    for (const path of ['/a', '/b']) expect(bodies(path).map(({ data }) => data.id)).toEqual([2]);
  });

  it('learns that events of its types are missing, and not of a restart', async () => {
    await create({ types: ['errlog.new'] }, '/errlog');
    await create({ types: ['agent.online'] }, '/agent');
    await create({ types: ['resync'] }, '/resync');
    await publish(resync('restart', 'all'), resync('burst', 'errlog'), resync('missed', 'all'));
    await settle();
    const reasons = (path: string) => bodies(path).map(({ data }) => data.reason);
    expect(reasons('/errlog')).toEqual(['burst', 'missed']);
    expect(reasons('/agent')).toEqual(['missed']);
    expect(reasons('/resync')).toEqual(['restart', 'burst', 'missed']);
  });
});

describe('feeds of several servers, or of one that is killed', () => {
  /** A channel whose events only the feeds of the test queue. */
  async function channelOfFeeds() {
    const own = await startApi({}, { transports: TO_RECEIVER });
    await own.server.sender.close();
    const { db, events } = own.server.deps;
    await own.admin.webhook.create({ body: { name: 'ops', url: receiver.url(), types: ['agent.removed'] } });
    const queued = async () =>
      (await db.read.prisma.webhookDelivery.findMany({ orderBy: { id: 'asc' } })).map(
        ({ body }) => JSON.parse(body).data.id,
      );
    const run = (on: Database) => createFeed(on, own.now).run(() => false);
    return { own, db, queued, run, publish: (id: number) => db.write((tx) => events.publish(tx, [removed(id)])) };
  }

  it('queue an event once where another one was faster', async () => {
    const { own, db, queued, run, publish: add } = await channelOfFeeds();
    await using _ = own;
    await add(1);
    // The other one runs between the reads of this one and its write.
    const write: Database['write'] = async (work, options) => {
      await run(db);
      return await db.write(work, options);
    };
    await run(Object.create(db, { write: { value: write } }));
    expect(await queued()).toEqual([1]);
  });

  it('queue each event once, whichever write is the last before a crash', async () => {
    const { own, db, queued, run, publish: add } = await channelOfFeeds();
    await using _ = own;
    const position = (await db.read.prisma.webhook.findFirstOrThrow()).eventId;
    for (let id = 0; id < 450; id += 1) await add(id);
    const failed = await failAtEachWrite(db, {
      prepare: () =>
        db.write(async ({ prisma }) => {
          await prisma.webhookDelivery.deleteMany();
          await prisma.webhook.updateMany({ data: { eventId: position } });
        }),
      run,
      check: async () => expect(await queued()).toEqual(Array.from({ length: 450 }, (_value, id) => id)),
    });
    // Events are read in portions of 200.
    expect(failed).toBe(4);
  });
});

describe('the ring of events', () => {
  const trim = () => api.server.deps.db.write((tx) => trimEvents(tx, api.now() + 1000, 10_000, 100_000));
  const setPosition = (id: number, eventId: bigint) =>
    api.server.deps.db.write((tx) => tx.prisma.webhook.update({ where: { id }, data: { eventId } }));

  it('keeps what an enabled channel has not looked at', async () => {
    const id = await create({ types: ['agent.removed'], enabled: false });
    await publish(removed(1), removed(2), removed(3));
    const { id: newest = 0n } =
      (await api.server.deps.db.read.prisma.event.findFirst({ orderBy: { id: 'desc' } })) ?? {};
    // As if the sender had not run since.
    await api.server.deps.db.write(async (tx) => {
      await tx.prisma.webhook.update({ where: { id }, data: { eventId: newest - 2n, enabled: true } });
      await trimEvents(tx, api.now() + 1000, 10_000, 100_000);
    });
    expect(await eventCount()).toBe(2);
    await settle();
    expect(bodies().map(({ data }) => data.id)).toEqual([2, 3]);
    await update(id, { enabled: false });
    await trim();
    expect(await eventCount()).toBe(0);
  });

  it('says so where it no longer reaches back', async () => {
    const id = await create({ types: ['agent.removed'], enabled: false });
    await publish(removed(1));
    await trim();
    await publish(removed(2));
    const { id: newest = 0n } =
      (await api.server.deps.db.read.prisma.event.findFirst({ orderBy: { id: 'desc' } })) ?? {};
    await setPosition(id, newest - 2n);
    await api.server.deps.db.write((tx) => tx.prisma.webhook.update({ where: { id }, data: { enabled: true } }));
    await settle();
    expect(bodies()).toMatchObject([{ type: 'resync', data: { reason: 'missed', of: 'all' } }, { data: { id: 2 } }]);
  });
});

describe('new groups of a server that was killed before it announced them', () => {
  /** Lines of new groups, whose events a killed server has not stored. */
  async function killAfter(count: number) {
    const place = await newPlace();
    const killed = await startApi(place.sharing, { transports: TO_RECEIVER });
    const body = { name: 'new', url: receiver.url(), types: ['errlog.new' as const] };
    const { id } = await killed.admin.webhook.create({ body });
    const logs = Array.from({ length: count }, word);
    await killed.admin.errlog.append({ body: [{ level: 'error', log: word() }] });
    await receiver.until(1);
    const { db } = killed.server.deps;
    const before = await db.read.prisma.setting.findUniqueOrThrow({ where: { name: 'errlog_announced' } });
    const position = await db.read.prisma.webhook.findUniqueOrThrow({ where: { id } });
    await killed.admin.webhook.update({ params: { id }, body: { enabled: false } });
    await killed.admin.errlog.append({ body: logs.map((log) => ({ level: 'error', log })) });
    await killed.server.jobs.runAll();
    await expect.poll(() => db.read.prisma.event.count({ where: { id: { gt: position.eventId } } })).toBeGreaterThan(0);
    // As the database was when the groups were stored and not announced.
    await db.write(async (tx) => {
      await tx.prisma.event.deleteMany({ where: { id: { gt: position.eventId } } });
      await tx.prisma.setting.update({ where: { name: before.name }, data: { value: before.value } });
      await tx.prisma.webhook.update({ where: { id }, data: { enabled: true, eventId: position.eventId } });
    });
    await killed[Symbol.asyncDispose]();
    return { place, logs };
  }

  it('are announced by the next one, once', async () => {
    const { place, logs } = await killAfter(3);
    await using _ = place;
    for (let start = 0; start < atMost(1, 2); start += 1) {
      await using next = await startApi(place.sharing, { transports: TO_RECEIVER });
      await next.server.jobs.runAll();
      const announced = bodies().filter(({ type }) => type === 'errlog.new');
      expect(announced.map(({ data }) => data.log).slice(1)).toEqual(logs);
    }
  });

  it.runIf(IS_THOROUGH)('are one resync where there are many', async () => {
    const { place } = await killAfter(150);
    await using _ = place;
    await using next = await startApi(place.sharing, { transports: TO_RECEIVER });
    await next.server.jobs.runAll();
    expect(bodies().map(({ type, data }) => [type, data.reason])).toContainEqual(['resync', 'burst']);
  });
});
