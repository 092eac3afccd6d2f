// Queries of the sender: the next message of each channel, and the result of an attempt. Each message runs them, and a
// burst is thousands of messages, so they are prepared.
import { statement, type Tx, type Webhook, type WebhookDelivery } from '@quarterdeck/core/db';
import { type Columns, selected } from '@quarterdeck/core/sql';

const FIRST_WAITING = `SELECT id FROM webhook_delivery WHERE webhook_id = w.id AND state = 'waiting' ORDER BY id LIMIT 1`;
const DUE = statement(
  `SELECT w.id FROM webhook w JOIN webhook_delivery d ON d.id = (${FIRST_WAITING})
   WHERE w.enabled AND d.next_ms <= ? ORDER BY d.next_ms, d.id`,
);

/** Ids of the enabled channels whose first message is due, the one that waits longest first. */
export async function dueChannels({ sql }: Tx, nowMs: number): Promise<number[]> {
  return (await sql.all<{ id: number }>(DUE, nowMs)).map(({ id }) => id);
}

const CHANNEL = [
  ...(['id', 'name', 'kind', 'url', 'recipients', 'secret', 'previousSecret', 'previousUntilMs'] as const),
  ...(['failingSinceMs', 'settings', 'prefix', 'parts'] as const),
] as const;
const MESSAGE = [
  ...(['id', 'messageId', 'type', 'body', 'attempts', 'createdMs', 'nextMs', 'expiresMs'] as const),
  'alertId',
] as const;

/** A channel as the sender needs it. */
export type SendingChannel = Columns<Webhook, (typeof CHANNEL)[number]>;
export type WaitingMessage = Columns<WebhookDelivery, (typeof MESSAGE)[number]>;

const GET_CHANNEL = statement(`SELECT ${selected(CHANNEL)} FROM webhook WHERE enabled AND id = ?`);
const GET_FIRST = statement(
  `SELECT ${selected(MESSAGE)} FROM webhook_delivery WHERE webhook_id = ? AND state = 'waiting' ORDER BY id LIMIT 1`,
);

/** The first message of a channel that waits; undefined without one, and for a disabled channel. */
export async function nextMessage({ sql }: Tx, webhookId: number) {
  const channel = await sql.get<SendingChannel>(GET_CHANNEL, webhookId);
  const message = channel && (await sql.get<WaitingMessage>(GET_FIRST, webhookId));
  return message && { channel, message };
}

const OF_ALERT = `FROM webhook_delivery
   WHERE alert_id = ? AND alert_id > 0 AND webhook_id = ? AND state = 'delivered' AND id < ?`;
const RECEIPT = statement(`SELECT receipt ${OF_ALERT} AND receipt <> '' ORDER BY id DESC LIMIT 1`);
// Messages of other types do not have all that is known about the alert.
const KNOWN = statement(
  `SELECT body ${OF_ALERT} AND type IN ('alert.firing', 'alert.updated') ORDER BY id DESC LIMIT 1`,
);

/** The message about the same alert that a channel has already; undefined where its receiver gave it no name. */
export async function earlierMessage({ sql }: Tx, webhookId: number, { id, alertId }: WaitingMessage) {
  const named = await sql.get<{ receipt: string }>(RECEIPT, alertId, webhookId, id);
  if (named === undefined) return undefined;
  const known = await sql.get<{ body: string }>(KNOWN, alertId, webhookId, id);
  return { receipt: named.receipt, body: known?.body ?? '' };
}

// Another server may have sent the same message since: the number of attempts decides. The column of the error has the
// answer to a test that was delivered.
const DELIVERED = statement(
  `UPDATE webhook_delivery SET state = 'delivered', attempts = attempts + 1, attempt_ms = ?, status = ?, error = ?,
     receipt = ? WHERE id = ? AND attempts = ?`,
);
const PAUSE = statement(
  `UPDATE webhook_delivery SET next_ms = ? WHERE next_ms < ? AND id = (
     SELECT id FROM webhook_delivery WHERE webhook_id = ? AND state = 'waiting' ORDER BY id LIMIT 1)`,
);
const FAILED = statement(
  `UPDATE webhook_delivery SET state = ?, attempts = attempts + 1, attempt_ms = ?, next_ms = ?, status = ?, error = ?
   WHERE id = ? AND attempts = ?`,
);
const WORKS = statement('UPDATE webhook SET failing_since_ms = 0 WHERE id = ?');
const FAILS = statement('UPDATE webhook SET failing_since_ms = ? WHERE id = ? AND failing_since_ms = 0');

/** A message that was sent, and its channel. */
interface Sent {
  readonly channel: SendingChannel;
  readonly message: WaitingMessage;
}

export interface SuccessfulAttempt {
  readonly status: number;
  /** Name that the receiver gave the message; empty = none. */
  readonly receipt: string;
  /** Answer of the receiver to a test; empty = none, or no test. */
  readonly answer: string;
  /** Time until the next message of the channel, milliseconds. */
  readonly pauseMs: number;
}

/** Stores that a message was delivered. */
export async function storeDelivered({ sql }: Tx, { channel, message }: Sent, sent: SuccessfulAttempt, nowMs: number) {
  const { status, receipt, answer, pauseMs } = sent;
  await sql.run(DELIVERED, nowMs, status, answer, receipt, message.id, message.attempts);
  if (channel.failingSinceMs !== 0) await sql.run(WORKS, channel.id);
  if (pauseMs > 0) await sql.run(PAUSE, nowMs + pauseMs, nowMs + pauseMs, channel.id);
}

/** A failed attempt. `nextMs` is undefined where the message is given up. */
export interface FailedAttempt {
  readonly status: number | null;
  readonly error: string;
  readonly nextMs: number | undefined;
}

/** Stores that an attempt failed. */
export async function storeFailed({ sql }: Tx, { channel, message }: Sent, failed: FailedAttempt, nowMs: number) {
  const { status, error, nextMs } = failed;
  const state = nextMs === undefined ? 'dead' : 'waiting';
  await sql.run(FAILED, state, nowMs, nextMs ?? message.nextMs, status ?? 0, error, message.id, message.attempts);
  if (channel.failingSinceMs === 0) await sql.run(FAILS, nowMs, channel.id);
}
