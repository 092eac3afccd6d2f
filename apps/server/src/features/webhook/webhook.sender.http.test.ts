import type { Client } from '@quarterdeck/sdk';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { atMost } from '../../../../../test/thoroughness.ts';
import { newPlace, startApi } from '../../../test/start-api.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';
import { type Receiver, startReceiver, TO_RECEIVER } from '../../../test/webhook-receiver.ts';
import { queueMessages } from './queue-messages.ts';
import { countDeliveries } from './upkeep.repo.ts';

const DAY_MS = 86_400_000;

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

type Draft = Parameters<Client['webhook']['create']>[0]['body'];
const create = async (path = '/', more: Partial<Draft> = {}) =>
  (await api.admin.webhook.create({ body: { name: path, url: receiver.url(path), ...more } })).id;
const get = (id: number) => api.admin.webhook.get({ params: { id } });
const deliveries = async (id: number, query: object = {}) =>
  (await api.admin.webhook.deliveries({ params: { id }, query: { page_size: 500, ...query } })).data;
const queue = (ids: readonly number[], ...numbers: number[]) =>
  api.server.deps.db.write((tx) => {
    const messages = numbers.map((n) => ({ type: 'alert.test', timestampMs: api.now(), data: { n } }));
    return queueMessages(tx, ids, messages, api.now());
  });
const addRule = async (channels: number[]) =>
  (await api.admin.alert.create({ body: { name: 'down', when: { kind: 'agent.offline' }, channels } })).id;
const queueOf = (rule: number, ids: readonly number[], ...numbers: number[]) =>
  api.server.deps.db.write((tx) => {
    const messages = numbers.map((n) => ({ type: 'alert.test', timestampMs: api.now(), data: { rule_id: rule, n } }));
    return queueMessages(tx, ids, messages, api.now());
  });
/** Tries everything that is due. */
const settle = () => api.server.sender.settle();
const numbersOn = (path: string) => receiver.on(path).map(({ body }) => body.data.n);
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe('the sender', () => {
  it('sends at once, each channel in its order, and stores the result', async () => {
    const [a, b] = [await create('/a'), await create('/b')];
    await queue([a, b, 999_999], ...numbers(1, 20));
    await receiver.until(40);
    await settle();
    for (const path of ['/a', '/b']) expect(numbersOn(path)).toEqual(numbers(1, 20));
    expect(new Set(receiver.received.map(({ messageId }) => messageId)).size).toBe(40);
    const [newest] = await deliveries(a);
    expect(newest).toMatchObject({ state: 'delivered', attempts: 1, status: 204, error: '', next_attempt: null });
    expect(newest?.message_id).toBe(receiver.on('/a').at(-1)?.messageId);
    expect(await get(a)).toMatchObject({ waiting: 0, failing_since: null });
  });

  it('sends thousands that were queued at once, each once and in order', { timeout: 300_000 }, async () => {
    const each = atMost(8, 2500);
    const paths = ['/a', '/b', '/c', '/d'];
    const ids = await Promise.all(paths.map((path) => create(path)));
    for (let n = 0; n < each; n += 500) await queue(ids, ...numbers(n + 1, Math.min(n + 500, each)));
    await receiver.until(4 * each);
    await settle();
    const stored = await deliveries(ids[0] ?? 0);
    const latest = receiver.on('/a').slice(-500);
    expect(stored.map(({ message_id }) => message_id).reverse()).toEqual(latest.map(({ messageId }) => messageId));
    for (const path of paths) expect(numbersOn(path)).toEqual(numbers(1, each));
    expect(new Set(receiver.received.map(({ messageId }) => messageId)).size).toBe(4 * each);
  });

  it('repeats a failed message with the same id, and holds back those behind it', async () => {
    const id = await create();
    receiver.answer = () => 503;
    await queue([id], 1, 2);
    await receiver.until(1);
    await settle();
    expect(numbersOn('/')).toEqual([1]);
    const [second, first] = await deliveries(id);
    expect(first).toMatchObject({ state: 'waiting', attempts: 1, status: 503, error: 'The receiver answers 503.' });
    expect(second).toMatchObject({ state: 'waiting', attempts: 0, status: null });
    expect(await get(id)).toMatchObject({ waiting: 2, failing_since: expect.any(Number) });
    // A waiting message is not sent again on request.
    const again = (delivery: number) => api.admin.webhook.redeliver({ params: { id: delivery } });
    await expect(again(first?.id ?? 0)).rejects.toMatchObject({ status: 409, code: 'conflict' });
    await expect(again(2_000_000_000)).rejects.toMatchObject({ code: 'not_found' });

    receiver.answer = () => 204;
    await settle();
    expect(numbersOn('/')).toEqual([1]);
    api.advance(6000);
    await settle();
    expect(numbersOn('/')).toEqual([1, 1, 2]);
    expect(new Set(receiver.received.map(({ messageId }) => messageId)).size).toBe(2);
    expect(await get(id)).toMatchObject({ waiting: 0, dead: 0, failing_since: null });
  });

  it('waits as long as the receiver asks', async () => {
    const id = await create();
    receiver.answer = () => ({ status: 429, headers: { 'retry-after': '20' } });
    await queue([id], 1);
    await receiver.until(1);
    await settle();
    const [delivery] = await deliveries(id);
    expect((delivery?.next_attempt ?? 0) - (delivery?.last_attempt ?? 0)).toBeCloseTo(20, 0);
  });

  it('gives up a message after a day, and sends it again when asked, with the same id', async () => {
    const id = await create();
    receiver.answer = () => 500;
    await queue([id], 1);
    await receiver.until(1);
    for (let hour = 0; hour < 26; hour += 1) {
      await settle();
      api.advance(3_600_000);
    }
    const [dead] = await deliveries(id, { state: 'dead' });
    expect(dead).toMatchObject({ attempts: expect.any(Number), status: 500, next_attempt: null });
    expect(dead?.attempts).toBeGreaterThan(8);
    expect(await get(id)).toMatchObject({ waiting: 0, dead: 1, failing_since: expect.any(Number) });

    receiver.answer = () => 204;
    const params = { id: dead?.id ?? 0 };
    expect(await api.admin.webhook.redeliver({ params })).toMatchObject({ state: 'waiting', attempts: 0 });
    await settle();
    expect(new Set(receiver.received.map(({ messageId }) => messageId))).toEqual(new Set([dead?.message_id]));
    expect(await deliveries(id)).toMatchObject([{ id: dead?.id, state: 'delivered', attempts: 1 }]);
    await api.admin.webhook.redeliver({ params });
    await settle();
    expect(receiver.received.at(-1)?.messageId).toBe(dead?.message_id);
  });

  it('does not hold up messages behind one that the receiver refuses', async () => {
    const id = await create();
    receiver.answer = ({ body }) => (body.data.n === 1 ? 422 : 204);
    await queue([id], 1, 2);
    for (let n = 0; n < 3; n += 1) {
      await settle();
      api.advance(60_000);
    }
    expect(numbersOn('/')).toEqual([1, 1, 1, 2]);
    expect(await deliveries(id)).toMatchObject([{ state: 'delivered' }, { state: 'dead', attempts: 3, status: 422 }]);
  });

  it('disables a channel that is gone, and sends what waits once it is enabled within a day', async () => {
    const id = await create();
    receiver.answer = () => 410;
    await queue([id], 1, 2);
    await receiver.until(1);
    await settle();
    expect(await get(id)).toMatchObject({ enabled: false, waiting: 2, gone_since: api.now() / 1000 });
    for (const { error } of await deliveries(id)) expect(error).toContain('no other channel takes the message');
    const warning = api.logged.map((line) => JSON.parse(line)).find(({ webhook }) => webhook === id);
    expect(warning).toMatchObject({ level: 40, name: '/', moved: 0, left: 2, msg: expect.stringContaining('410') });
    const { data: entries } = await api.admin.audit.list({ query: { action: 'webhook.disable', page_size: 1 } });
    expect(entries).toMatchObject([{ actor: { kind: 'system' }, target: { kind: 'webhook', id } }]);
    await queue([id], 3);
    api.advance(DAY_MS / 2);
    await settle();
    expect(numbersOn('/')).toEqual([1]);

    receiver.answer = () => 204;
    await api.admin.webhook.update({ params: { id }, body: { enabled: true } });
    await settle();
    expect(numbersOn('/')).toEqual([1, 1, 2]);
    expect(await get(id)).toMatchObject({ enabled: true, gone_since: null });
  });

  it('gives what waits for a channel that is gone to the other channels of the rule, each message once', async () => {
    const [gone, other] = [await create('/gone'), await create('/other')];
    const rule = await addRule([gone, other]);
    receiver.answer = ({ path }) => (path === '/gone' ? 410 : 204);
    await queueOf(rule, [gone, other], 1);
    await queueOf(rule, [gone], 2);
    await receiver.until(3);
    await settle();
    expect(numbersOn('/gone')).toEqual([1]);
    expect(numbersOn('/other')).toEqual([1, 2]);
    expect(await get(gone)).toMatchObject({ waiting: 0, dead: 2 });
    const error = 'The receiver is gone. The message went to "/other".';
    expect(await deliveries(gone)).toMatchObject([
      { state: 'dead', error },
      { state: 'dead', error },
    ]);
  });

  it('gives what waits for a channel that is gone to no channel that does not get such messages', async () => {
    const chat = { kind: 'slack' as const };
    const [gone, other] = [await create('/gone'), await create('/other', chat)];
    const rule = await addRule([gone, other]);
    receiver.answer = ({ path }) => (path === '/gone' ? 410 : 204);
    const data = { rule_id: rule, kind: 'agent.offline' };
    const types = ['alert.firing', 'alert.acknowledged', 'alert.resolved'];
    const messages = types.map((type) => ({ type, timestampMs: api.now(), data, alertId: 71 }));
    await api.server.deps.db.write((tx) => queueMessages(tx, [gone], messages.slice(0, 1), api.now()));
    await api.server.deps.db.write((tx) => queueMessages(tx, [gone], messages.slice(1), api.now()));
    await settle();
    await settle();
    const typesOf = async (id: number) => (await deliveries(id)).map(({ type }) => type).toReversed();
    expect(await typesOf(gone)).toEqual(types);
    expect(await typesOf(other)).toEqual(['alert.firing', 'alert.resolved']);
  });

  it('gives what waits for a channel that is gone to a channel that the rule gets later', async () => {
    const [gone, later] = [await create('/gone'), await create('/later')];
    const rule = await addRule([gone]);
    receiver.answer = ({ path }) => (path === '/gone' ? 410 : 204);
    await queueOf(rule, [gone], 1, 2);
    await receiver.until(1);
    await settle();
    await api.admin.alert.update({ params: { id: rule }, body: { channels: [gone, later] } });
    await api.server.jobs.runAll();
    await settle();
    expect(numbersOn('/later')).toEqual([1, 2]);
    await api.admin.alert.remove({ params: { id: rule } });
  });

  it('gives up what waits for a disabled channel after a day', async () => {
    const id = await create();
    receiver.answer = () => 503;
    await queue([id], 1, 2);
    await receiver.until(1);
    await settle();
    await api.admin.webhook.update({ params: { id }, body: { enabled: false } });
    api.advance(DAY_MS + 1000);
    await api.server.jobs.runAll();
    expect(await deliveries(id)).toMatchObject([
      { state: 'dead', attempts: 0, error: 'The message was not sent within a day.' },
      { state: 'dead', attempts: 1, error: 'The receiver answers 503.' },
    ]);
  });

  it('is not held up by receivers that do not answer', async () => {
    const hanging = await Promise.all(numbers(1, 15).map((n) => create(`/hang/${n}`)));
    const id = await create('/ok');
    receiver.answer = ({ path }) => (path === '/ok' ? 204 : undefined);
    await queue(hanging, 1);
    await receiver.until(15);
    await queue([id], ...numbers(1, 30));
    await receiver.until(45);
    expect(numbersOn('/ok')).toEqual(numbers(1, 30));
  });

  it('sends to at most 16 channels at the same time', async () => {
    const [all, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let [running, most] = [0, 0];
    const send = async () => {
      running += 1;
      most = Math.max(most, running);
      if (running === 16) all.resolve();
      await gate.promise;
      running -= 1;
      return { ok: true, status: 204 } as const;
    };
    await using own = await startApi({}, { transports: { ...TO_RECEIVER, send } });
    for (const n of numbers(1, 20)) {
      const { id } = await own.admin.webhook.create({ body: { name: `${n}`, url: receiver.url() } });
      await own.admin.webhook.test({ params: { id } });
    }
    await all.promise;
    // Two more rounds, which find the others due.
    for (let round = 0; round < 2; round += 1) await own.server.sender.tick();
    gate.resolve();
    await own.server.sender.settle();
    expect(most).toBe(16);
  });

  it('waits before it stores a result again, and sends the message once', async () => {
    const id = await create();
    const { db } = api.server.deps;
    const { write } = db;
    let beats = 0;
    const heart = setInterval(() => (beats += 1), 100);
    const attempts: number[] = [];
    receiver.answer = () => {
      db.write = async (...call) => {
        attempts.push(beats);
        if (attempts.length === 1) throw new Error('the disk is full');
        return await write(...call);
      };
      return 204;
    };
    await queue([id], 1);
    await receiver.until(1);
    await settle();
    clearInterval(heart);
    db.write = write;
    // A wait lets other timers run; their number does not matter.
    expect(attempts[1]).toBeGreaterThan(attempts[0] ?? 0);
    expect(numbersOn('/')).toEqual([1]);
    expect(await deliveries(id)).toMatchObject([{ state: 'delivered', attempts: 1 }]);
  });

  it('ends an attempt when the server stops, and the next server repeats it', async () => {
    await using place = await newPlace();
    const stopped = await startApi(place.sharing, { transports: TO_RECEIVER });
    receiver.answer = () => undefined;
    const body = { name: 'ops', url: receiver.url() };
    const { id } = await stopped.admin.webhook.create({ body });
    await stopped.admin.webhook.test({ params: { id } });
    await receiver.until(1);
    await stopped[Symbol.asyncDispose]();
    receiver.answer = () => 204;
    await using next = await startApi(place.sharing, { transports: TO_RECEIVER });
    await receiver.until(2);
    await next.server.jobs.runAll();
    const { data } = await next.admin.webhook.deliveries({ params: { id } });
    // The attempt that was cut short counts for nothing.
    expect(data).toMatchObject([{ state: 'delivered', attempts: 1 }]);
    expect(receiver.received.map(({ messageId }) => messageId)).toEqual(Array(2).fill(data[0]?.message_id));
  });

  it('goes on with a channel whose address was corrected', async () => {
    const id = await create('/wrong');
    receiver.answer = ({ path }) => (path === '/wrong' ? 404 : 204);
    await queue([id], 1);
    await receiver.until(1);
    await settle();
    await api.admin.webhook.update({ params: { id }, body: { url: receiver.url('/right') } });
    await receiver.until(2);
    expect(numbersOn('/right')).toEqual([1]);
  });

  it('counts what it did, for the metrics', async () => {
    // The receiver of the test before has its answer earlier than the sender has counted it.
    await settle();
    const before = api.server.sender.stats();
    const id = await create();
    receiver.answer = ({ body }) => (body.data.n === 1 ? 204 : 503);
    const queuedMs = api.now();
    await queue([id], 1, 2, 3);
    await receiver.until(2);
    await settle();
    const after = api.server.sender.stats();
    expect([after.delivered - before.delivered, after.failed - before.failed]).toEqual([1, 1]);
    const { oldestMs = 0, ...numbers } = await countDeliveries(api.server.deps.db.read);
    expect(numbers).toEqual({ waiting: 2, dead: 0 });
    expect(oldestMs).toBeGreaterThanOrEqual(queuedMs);
  });
});
