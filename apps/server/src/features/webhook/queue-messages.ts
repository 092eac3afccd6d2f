// Queues messages to channels in the write of their cause: both are stored, or neither.
import type { Tx } from '@quarterdeck/core/db';
import { randomBase62 } from '../../auth/secrets.ts';
import { insertDeliveries, lockEnabled, newestDelivery } from './delivery.repo.ts';
import { type Message, messageBody } from './message-body.ts';

/** A message as the database has it. */
export interface FormattedMessage {
  readonly type: string;
  readonly body: string;
  /** 0 = about no alert. */
  readonly alertId: number;
}

/** Formats a message for the database. */
export const formatMessage = (message: Message): FormattedMessage => ({
  type: message.type,
  body: messageBody(message),
  alertId: message.alertId ?? 0,
});

/**
 * Stores a delivery of each message, in their order, for each of these channels that exists and is enabled; returns the
 * number of these channels. The sender wakes up after the commit.
 */
export async function queueMessages(
  tx: Tx,
  channelIds: readonly number[],
  messages: readonly Message[],
  nowMs: number,
): Promise<number> {
  if (channelIds.length === 0 || messages.length === 0) return 0;
  const ids = await lockEnabled(tx, channelIds);
  await storeMessages(tx, ids, messages.map(formatMessage), nowMs);
  return ids.length;
}

/**
 * Stores a message for each of these channels that exists and is enabled; returns the deliveries. The sender wakes up
 * after the commit.
 */
export async function queueMessage(
  tx: Tx,
  channelIds: readonly number[],
  message: Message,
  nowMs: number,
): Promise<{ readonly id: number; readonly channel: number }[]> {
  const deliveries = [];
  const channels = await lockEnabled(tx, channelIds);
  await storeMessages(tx, channels, [formatMessage(message)], nowMs);
  for (const channel of channels) deliveries.push({ id: Number((await newestDelivery(tx, channel)).id), channel });
  return deliveries;
}

/** Stores a delivery of each message for each of these channels, whose rows this write has locked. */
export async function storeMessages(
  tx: Tx,
  webhookIds: readonly number[],
  messages: readonly FormattedMessage[],
  nowMs: number,
): Promise<void> {
  const deliveries = messages.flatMap((message) =>
    webhookIds.map((webhookId) => ({ webhookId, messageId: `msg_${randomBase62(24)}`, ...message })),
  );
  if (deliveries.length === 0) return;
  await insertDeliveries(tx, deliveries, nowMs);
  tx.signal();
}
