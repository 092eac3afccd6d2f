// Queues messages to channels in the write of their cause: both are stored, or neither.
import type { Tx } from '@quarterdeck/core/db';
import { randomBase62 } from '../../auth/secrets.ts';
import { insertDelivery, lockEnabled } from './delivery.repo.ts';
import { type Message, messageBody } from './message-body.ts';

/** A message as the database has it. */
export interface FormattedMessage {
  readonly type: string;
  readonly body: string;
}

/** Formats a message for the database. */
export const formatMessage = (message: Message): FormattedMessage => ({
  type: message.type,
  body: messageBody(message),
});

/**
 * Stores a delivery of a message for each of these channels that exists and is enabled; returns how many. The sender
 * wakes up after the commit.
 */
export async function queueMessages(
  tx: Tx,
  channelIds: readonly number[],
  message: Message,
  nowMs: number,
): Promise<number> {
  if (channelIds.length === 0) return 0;
  const formatted = formatMessage(message);
  const ids = await lockEnabled(tx, channelIds);
  for (const id of ids) await storeMessage(tx, id, formatted, nowMs);
  return ids.length;
}

/** Stores a delivery for one channel, whose row this write has locked. */
export async function storeMessage(tx: Tx, webhookId: number, message: FormattedMessage, nowMs: number): Promise<void> {
  await insertDelivery(tx, { webhookId, messageId: `msg_${randomBase62(24)}`, ...message }, nowMs);
  tx.signal();
}
