// Queries about deliveries.
import type { AlertKind, DeliveryState, Page, Slice, WebhookDelivery, WebhookKind } from '@quarterdeck/core';
import { statement, type Tx, type WebhookDelivery as WebhookDeliveryModel } from '@quarterdeck/core/db';
import { inJson } from '@quarterdeck/core/sql';

/** Time for which a message is tried. */
const TRIED_FOR_MS = 86_400_000;

// PostgreSQL gives out ids before the commit. The lock makes the commits of a channel follow the order of its ids, and
// keeps the channel until the delivery is stored. Prisma cannot lock a row.
const LOCK_ENABLED = statement(
  (dialect) => `SELECT id, kind FROM webhook WHERE enabled AND ${inJson(dialect, 'id')} ORDER BY id
    ${dialect === 'sqlite' ? '' : 'FOR NO KEY UPDATE'}`,
);

/** An enabled channel that a write has locked. */
export interface LockedChannel {
  readonly id: number;
  readonly kind: WebhookKind;
}

/** Locks the enabled ones of some channels until the end of the write; returns them. */
export const lockEnabled = ({ sql }: Tx, ids: readonly number[]): Promise<LockedChannel[]> =>
  sql.all<LockedChannel>(LOCK_ENABLED, JSON.stringify(ids));

const OF_ALERTS = statement(
  (dialect) => `SELECT DISTINCT alert_id AS "alertId", webhook_id AS channel, type FROM webhook_delivery
    WHERE alert_id > 0 AND ${inJson(dialect, 'alert_id')}`,
);

/** A type of message about an alert that a channel got, or that waits for it. */
export interface AlertDelivery {
  readonly alertId: number;
  readonly channel: number;
  readonly type: string;
}

/** Types of messages about some alerts, by channel. */
export const deliveriesOfAlerts = ({ sql }: Tx, ids: readonly number[]): Promise<AlertDelivery[]> =>
  sql.all<AlertDelivery>(OF_ALERTS, JSON.stringify(ids));

const SENT = statement(
  'SELECT id FROM webhook_delivery WHERE alert_id = ? AND alert_id > 0 AND webhook_id = ? AND receipt = ? LIMIT 1',
);

/** True where a channel has sent a message about an alert under this name. */
export const wasSentAs = async ({ sql }: Tx, webhookId: number, alertId: number, receipt: string): Promise<boolean> =>
  (await sql.get(SENT, alertId, webhookId, receipt)) !== undefined;

/** A delivery before it is stored. */
export interface NewDelivery {
  readonly webhookId: number;
  readonly messageId: string;
  readonly type: string;
  readonly body: string;
  readonly alertId: number;
}

/** Deliveries of one statement: up to 13 MB. */
const INSERTED_AT_ONCE = 200;

// A burst stores hundreds of deliveries in one write. With a statement for each, their round trips to PostgreSQL might
// reach the time limit of the write.
const INSERT = statement({
  sqlite: `INSERT INTO webhook_delivery (created_ms, next_ms, expires_ms, webhook_id, message_id, type, body,
       alert_id)
     SELECT ?, ?, ?, value ->> 'webhookId', value ->> 'messageId', value ->> 'type', value ->> 'body',
       value ->> 'alertId'
       FROM json_each(?) ORDER BY key`,
  postgresql: `INSERT INTO webhook_delivery (created_ms, next_ms, expires_ms, webhook_id, message_id, type, body,
       alert_id)
     SELECT $1, $2, $3, webhook_id, message_id, type, body, alert_id FROM ROWS FROM
       (json_to_recordset(CAST($4 AS json))
       AS ("webhookId" integer, "messageId" text, type text, body text, "alertId" bigint)) WITH ORDINALITY
       AS given(webhook_id, message_id, type, body, alert_id, place) ORDER BY place`,
});

/** Stores deliveries that wait for their first attempt, in their order. Needs {@link lockEnabled}. */
export async function insertDeliveries({ sql }: Tx, deliveries: readonly NewDelivery[], nowMs: number): Promise<void> {
  for (let from = 0; from < deliveries.length; from += INSERTED_AT_ONCE) {
    const some = JSON.stringify(deliveries.slice(from, from + INSERTED_AT_ONCE));
    await sql.run(INSERT, nowMs, nowMs, nowMs + TRIED_FOR_MS, some);
  }
}

/** A delivery as the database has it. */
type DeliveryRow = WebhookDeliveryModel;

/** Converts a row to a delivery. */
export const toDelivery = (row: DeliveryRow): WebhookDelivery => ({
  id: Number(row.id),
  message_id: row.messageId,
  type: row.type,
  state: row.state as DeliveryState,
  attempts: row.attempts,
  created: Number(row.createdMs) / 1000,
  next_attempt: row.state === 'waiting' ? Number(row.nextMs) / 1000 : null,
  last_attempt: row.attemptMs === 0n ? null : Number(row.attemptMs) / 1000,
  status: row.status === 0 ? null : row.status,
  // The column has the answer to a test that was delivered.
  error: row.state === 'delivered' ? '' : row.error,
  answer: row.state === 'delivered' ? row.error : '',
  body: JSON.parse(row.body),
  needs: null,
});

/** A page of the deliveries of a channel, newest first. */
export async function listDeliveries(
  { prisma }: Tx,
  { webhookId, state }: { readonly webhookId: number; readonly state: DeliveryState | undefined },
  { offset, limit }: Slice,
): Promise<Page<WebhookDelivery>> {
  const where = { webhookId, ...(state === undefined ? {} : { state }) };
  const count = await prisma.webhookDelivery.count({ where });
  if (limit === 0 || offset >= count) return { data: [], meta: { count } };
  const rows = await prisma.webhookDelivery.findMany({ where, orderBy: { id: 'desc' }, skip: offset, take: limit });
  return { data: rows.map(toDelivery), meta: { count } };
}

/** Finds a delivery; undefined where there is none. */
export const findDelivery = async ({ prisma }: Tx, id: number): Promise<DeliveryRow | undefined> =>
  (await prisma.webhookDelivery.findUnique({ where: { id } })) ?? undefined;

/** The delivery of a channel that was stored last. */
export const newestDelivery = ({ prisma }: Tx, webhookId: number): Promise<DeliveryRow> =>
  prisma.webhookDelivery.findFirstOrThrow({ where: { webhookId }, orderBy: { id: 'desc' } });

/** Makes the next attempts of a channel due now. */
export async function retryNow(tx: Tx, webhookId: number, nowMs: number): Promise<void> {
  const where = { webhookId, state: 'waiting', nextMs: { gt: nowMs } };
  await tx.prisma.webhookDelivery.updateMany({ where, data: { nextMs: nowMs } });
  tx.signal();
}

/** Makes an ended delivery wait again; false where it does not exist or waits. */
export async function waitAgain(tx: Tx, id: number, nowMs: number): Promise<boolean> {
  const { count } = await tx.prisma.webhookDelivery.updateMany({
    where: { id, state: { not: 'waiting' } },
    data: { state: 'waiting', attempts: 0, error: '', nextMs: nowMs, expiresMs: nowMs + TRIED_FOR_MS },
  });
  tx.signal();
  return count > 0;
}

/** Deletes up to `limit` deliveries of a channel; returns how many. */
export async function removeDeliveries({ prisma }: Tx, webhookId: number, limit: number): Promise<number> {
  return (await prisma.webhookDelivery.deleteMany({ where: { webhookId }, limit })).count;
}

const RULE_KINDS = statement(
  'SELECT DISTINCT r.kind FROM alert_channel c JOIN alert_rule r ON r.id = c.rule_id WHERE c.webhook_id = ?',
);
const STORED = statement({
  sqlite: `SELECT DISTINCT type, body ->> '$.data.kind' AS kind FROM webhook_delivery WHERE webhook_id = ?`,
  postgresql: `SELECT DISTINCT type, CAST(body AS json) -> 'data' ->> 'kind' AS kind
     FROM webhook_delivery WHERE webhook_id = $1`,
});

/** A type of message; of an alert with the kind of its rule. */
interface StoredType {
  readonly type: string;
  readonly kind: string | null;
}

/** Reads what a channel sends, from its rules and from up to 20,000 messages. */
export async function readContents({ sql }: Tx, id: number) {
  const rules = await sql.all<{ kind: AlertKind }>(RULE_KINDS, id);
  return { kinds: rules.map(({ kind }) => kind), messages: await sql.all<StoredType>(STORED, id) };
}
