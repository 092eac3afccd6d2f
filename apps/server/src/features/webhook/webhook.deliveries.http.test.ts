import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DIALECT, newPlace, startApi } from '../../../test/start-api.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';
import { type Receiver, startReceiver, TO_RECEIVER } from '../../../test/webhook-receiver.ts';
import { boundDeliveries } from './upkeep.repo.ts';

const DAY_MS = 86_400_000;

const api = useSteadyApi({}, { transports: TO_RECEIVER });
let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await api.server.deps.db.write((tx) => tx.prisma.webhook.deleteMany());
  await receiver[Symbol.asyncDispose]();
});

/** A channel that sends nothing. */
const create = async () =>
  (await api.admin.webhook.create({ body: { name: '/', url: receiver.url('/'), enabled: false } })).id;
const deliveries = async (id: number, state: 'dead' | 'waiting') =>
  (await api.admin.webhook.deliveries({ params: { id }, query: { page_size: 500, state } })).data;
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe('the deliveries of a channel', () => {
  const fill = (webhookId: number, count: number, more: object) =>
    api.server.deps.db.write((tx) =>
      tx.prisma.webhookDelivery.createMany({
        data: numbers(1, count).map((n) => ({
          ...{ webhookId, messageId: `${webhookId} ${JSON.stringify(more)} ${n}`, type: 'alert.test', body: '{}' },
          ...{ createdMs: api.now(), nextMs: api.now(), expiresMs: api.now() + DAY_MS, ...more },
        })),
      }),
    );
  const countOf = (webhookId: number, state: string) =>
    api.server.deps.db.read.prisma.webhookDelivery.count({ where: { webhookId, state } });

  it('are limited: the oldest of too many are given up, and of those that ended deleted', async () => {
    const id = await create();
    await fill(id, 26, {});
    await fill(id, 21, { state: 'delivered' });
    await boundDeliveries(api.server.deps.db, api.now(), () => false, 20);
    expect([await countOf(id, 'waiting'), await countOf(id, 'dead'), await countOf(id, 'delivered')]).toEqual([
      20, 6, 20,
    ]);
    const given = await deliveries(id, 'dead');
    const waiting = await deliveries(id, 'waiting');
    expect(given[0]).toMatchObject({ error: 'Too many messages waited for this channel.', next_attempt: null });
    expect(waiting.at(-1)?.id).toBe((given[0]?.id ?? 0) + 1);
  });

  it('are deleted when they are old: delivered ones after 7 days, dead ones after 30', async () => {
    const id = await create();
    await fill(id, 3, { state: 'delivered' });
    await fill(id, 5, { state: 'dead' });
    api.advance(7 * DAY_MS + 1000);
    await api.server.jobs.runAll();
    expect([await countOf(id, 'delivered'), await countOf(id, 'dead')]).toEqual([0, 5]);
    api.advance(23 * DAY_MS);
    await api.server.jobs.runAll();
    expect(await countOf(id, 'dead')).toBe(0);
  });
});

describe.skipIf(DIALECT === 'sqlite')('two servers', () => {
  it('send each message once, and the second one goes on when the first stops', async () => {
    await using place = await newPlace();
    const first = await startApi(place.sharing, { transports: TO_RECEIVER });
    await using second = await startApi(place.sharing, { transports: TO_RECEIVER });
    const { id } = await first.admin.webhook.create({ body: { name: 'ops', url: receiver.url() } });
    for (let n = 0; n < 20; n += 1) {
      await (n % 2 === 0 ? first : second).admin.webhook.test({ params: { id } });
    }
    await Promise.all([first, second, first].map(({ server }) => server.jobs.runAll()));
    await receiver.until(20);
    await first[Symbol.asyncDispose]();
    await second.admin.webhook.test({ params: { id } });
    await second.server.jobs.runAll();
    const { data } = await second.admin.webhook.deliveries({ params: { id }, query: { page_size: 100 } });
    expect(receiver.received.map(({ messageId }) => messageId)).toEqual(
      data.map(({ message_id }) => message_id).reverse(),
    );
    expect(data).toHaveLength(21);
  });
});
