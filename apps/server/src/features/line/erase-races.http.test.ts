// Erasures while a text is on its way from a group to an event, an alert or a message.

import { addErasure } from '@quarterdeck/core/sql';
import { expect, it } from 'vitest';
import { watch } from '../../../test/alert-calls.ts';
import { startApi } from '../../../test/start-api.ts';
import { startReceiver, TO_RECEIVER } from '../../../test/webhook-receiver.ts';
import { word } from '../../../test/word.ts';

it('sends nothing of a message whose text is erased while a receiver lets it wait', async () => {
  await using receiver = await startReceiver();
  await using api = await startApi({}, { transports: TO_RECEIVER });
  const { admin, server } = api;
  const secret = word();
  await admin.webhook.create({ body: { name: word(), url: receiver.url('/'), types: ['errlog.new'] } });
  receiver.answer = () => undefined;
  await admin.errlog.append({ body: { level: 4, log: `token ${secret}`, app_id: 1 } });
  await receiver.until(1);
  receiver.answer = () => 204;
  expect(await admin.line.erase({ body: { filter: secret } })).toMatchObject({ erased: 1, messages: 1, sent: 0 });
  await receiver.until(2);
  await server.sender.settle();
  const [first, second] = receiver.received;
  expect(second?.messageId).toBe(first?.messageId);
  expect(second?.body.data.log).toBe('[erased]');
  expect(await server.deps.db.read.prisma.webhookDelivery.findMany()).toMatchObject([{ state: 'delivered' }]);
});

it('stores no alert with a text that was read before an erasure; the next round looks again', async () => {
  await using api = await startApi();
  const { db } = api.server.deps;
  const rule = await watch(api, { kind: 'errlog.new' });
  await api.admin.errlog.append({ body: { level: 4, log: `token ${word()}`, app_id: 1 } });
  const { read, write } = db;
  // Between the reads of a round and its write.
  db.write = async (work, options) => {
    await write(addErasure);
    return await write(work, options);
  };
  await api.server.jobs.runAlerts();
  expect(await read.prisma.alert.count()).toBe(0);
  db.write = write;
  expect(await rule.round()).toEqual([expect.stringMatching(/^firing group:/)]);
});
