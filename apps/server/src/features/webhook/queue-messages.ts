// Queues messages to channels in the write of their cause: both are stored, or neither.
import type { Tx } from '@quarterdeck/core/db';
import { randomBase62 } from '../../auth/secrets.ts';
import {
  deliveriesOfAlerts,
  insertDeliveries,
  lockEnabled,
  type NewDelivery,
  newestDelivery,
} from './delivery.repo.ts';
import { isLater, wantsMessage } from './wants-message.ts';

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

/** A message, and the ids of its channels. */
export interface AddressedMessage extends Message {
  readonly channels: readonly number[];
}

/** Stores messages as {@link queueAddressed} does, all for the same channels. */
export const queueMessages = (
  tx: Tx,
  channels: readonly number[],
  messages: readonly Message[],
  nowMs: number,
): Promise<number> =>
  queueAddressed(
    tx,
    messages.map((message) => ({ ...message, channels })),
    nowMs,
  );

/**
 * Stores a delivery of each message, in their order, for each of its channels that exists, is enabled and gets such a
 * message ({@link wantsMessage}); returns the number of the enabled ones. The sender wakes up after the commit.
 */
export async function queueAddressed(tx: Tx, messages: readonly AddressedMessage[], nowMs: number): Promise<number> {
  const ids = [...new Set(messages.flatMap((message) => message.channels))];
  if (ids.length === 0) return 0;
  const channels = await lockEnabled(tx, ids);
  const earlier = await deliveriesOfAlerts(
    tx,
    messages.flatMap(({ type, alertId = 0 }) => (alertId > 0 && isLater(type) ? alertId : [])),
  );
  const deliveries: NewDelivery[] = [];
  for (const message of messages) {
    const ofAlert = earlier.filter(({ alertId }) => alertId === message.alertId);
    const wanting = channels.filter(
      (channel) => message.channels.includes(channel.id) && wantsMessage(channel, message, ofAlert),
    );
    if (wanting.length > 0) deliveries.push(...deliveriesOf(wanting, formatMessage(message)));
  }
  await insert(tx, deliveries, nowMs);
  return channels.length;
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
  await insert(tx, deliveriesOf(channels, formatMessage(message)), nowMs);
  for (const { id: channel } of channels)
    deliveries.push({ id: Number((await newestDelivery(tx, channel)).id), channel });
  return deliveries;
}

/** Stores a delivery of each message for each of these channels, whose rows this write has locked. */
export async function storeMessages(
  tx: Tx,
  webhookIds: readonly number[],
  messages: readonly FormattedMessage[],
  nowMs: number,
): Promise<void> {
  const channels = webhookIds.map((id) => ({ id }));
  await insert(
    tx,
    messages.flatMap((message) => deliveriesOf(channels, message)),
    nowMs,
  );
}

const deliveriesOf = (channels: readonly { readonly id: number }[], message: FormattedMessage): NewDelivery[] =>
  channels.map(({ id }) => ({ webhookId: id, messageId: `msg_${randomBase62(24)}`, ...message }));

async function insert(tx: Tx, deliveries: readonly NewDelivery[], nowMs: number): Promise<void> {
  if (deliveries.length === 0) return;
  await insertDeliveries(tx, deliveries, nowMs);
  tx.signal();
}

/** A message to channels. */
export interface Message {
  /** Type of an event, or of a message about an alert. */
  readonly type: string;
  /** Time of what it reports, Unix milliseconds. */
  readonly timestampMs: number;
  readonly data: unknown;
  /** Only an amendment says it: no channel gets a further message for it. */
  readonly isMinor?: boolean | undefined;
  /** Alert that it is about. */
  readonly alertId?: number | undefined;
}

/** Most bytes of a message. */
export const BODY_MAX = 65_536;
/** Lengths to which texts and lists are cut, one after the other, until the message is small enough. */
const CUTS = [8192, 2048, 512, 64] as const;
/** Mark of a text that was cut. */
const CUT_MARK = ' [cut]';

/** Formats a message. Long texts and lists are cut where it would be larger than {@link BODY_MAX}. */
export function messageBody({ type, timestampMs, data }: Message): string {
  const message = { type, timestamp: new Date(timestampMs).toISOString(), data };
  const whole = JSON.stringify(message);
  if (Buffer.byteLength(whole) <= BODY_MAX) return whole;
  for (const length of CUTS) {
    const body = JSON.stringify(message, (_, value) => cut(value, length));
    if (Buffer.byteLength(body) <= BODY_MAX) return body;
  }
  return JSON.stringify({ ...message, data: { cut: true } });
}

function cut(value: unknown, length: number): unknown {
  if (typeof value === 'string' && value.length > length) return value.slice(0, length).toWellFormed() + CUT_MARK;
  if (Array.isArray(value) && value.length > length) return value.slice(0, length);
  return value;
}
