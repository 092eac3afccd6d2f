// Messages of a channel whose receiver answered 410: those of a rule go to its other channels, the others wait.
import { type Database, statement, type Tx } from '@quarterdeck/core/db';
import { inJson } from '@quarterdeck/core/sql';
import { deliveriesOfAlerts, lockEnabled } from './delivery.repo.ts';
import { storeMessages } from './queue-messages.ts';
import { wantsMessage } from './wants-message.ts';

/** Status with which a receiver says that it is gone for good. */
export const GONE = 410;

/** Messages that one write moves. Each is compared with the deliveries of the other channels. */
const SLICE = 20;

const DISABLE = statement('UPDATE webhook SET enabled = FALSE, gone_ms = ?, modified_ms = ? WHERE id = ? AND enabled');

/** Disables a channel that is gone; false where it was disabled or deleted before. */
export const disableGone = async ({ sql }: Tx, id: number, nowMs: number): Promise<boolean> =>
  (await sql.run(DISABLE, nowMs, nowMs, id)).changes > 0;

interface Waiting {
  readonly id: number;
  readonly type: string;
  readonly body: string;
  readonly createdMs: number;
  readonly alertId: number;
}

const WAITING = statement(
  `SELECT d.id, d.type, d.body, d.created_ms AS "createdMs", d.alert_id AS "alertId" FROM webhook_delivery d JOIN webhook w ON w.id = d.webhook_id
   WHERE w.id = ? AND NOT w.enabled AND w.gone_ms > 0 AND d.state = 'waiting' AND d.id > ? ORDER BY d.id LIMIT ${SLICE}`,
);
const OTHERS = statement(
  `SELECT other.webhook_id AS id FROM alert_channel other JOIN alert_channel own ON own.rule_id = other.rule_id
   WHERE own.rule_id = ? AND own.webhook_id = ? AND other.webhook_id <> own.webhook_id`,
);
const HAVE = statement(
  (dialect) => `SELECT DISTINCT webhook_id AS id FROM webhook_delivery
    WHERE ${inJson(dialect, 'webhook_id')} AND created_ms = ? AND type = ? AND body = ?`,
);
const NAMES = statement((dialect) => `SELECT name FROM webhook WHERE ${inJson(dialect, 'id')} ORDER BY id`);
const MOVED = statement(`UPDATE webhook_delivery SET state = 'dead', status = ${GONE}, error = ? WHERE id = ?`);
const LEFT = statement(`UPDATE webhook_delivery SET error = ? WHERE id = ? AND error <> ?`);

const NO_OTHER =
  'The receiver is gone, and no other channel takes the message: its rule has no other enabled channel, or it has no rule. ' +
  'It is sent if this channel is enabled within a day.';

/** Numbers of the messages that waited for a channel that is gone. */
export interface MovedMessages {
  /** Messages that other channels have. */
  readonly moved: number;
  /** Messages that wait until the channel is enabled, for a day. */
  readonly left: number;
}

/**
 * Gives the waiting messages of a channel that is gone to the other enabled channels of their rules. Those that have a
 * message of the same cause already get no second one. Each delivery says where its message went.
 */
export async function moveMessages(
  db: Database,
  webhookId: number,
  nowMs: number,
  stopped: () => boolean,
): Promise<MovedMessages> {
  let moved = 0;
  let left = 0;
  for (let after = 0; !stopped(); ) {
    const slice = await db.write(async (tx) => {
      const waiting = await tx.sql.all<Waiting>(WAITING, webhookId, after);
      const isMoved = [];
      for (const message of waiting) isMoved.push(await move(tx, webhookId, message, nowMs));
      return { isMoved, last: waiting.at(-1)?.id };
    });
    moved += slice.isMoved.filter(Boolean).length;
    left += slice.isMoved.filter((one) => !one).length;
    if (slice.last === undefined) break;
    after = slice.last;
  }
  return { moved, left };
}

/** Gives one message to the other channels of its rule; false where there are none. */
async function move(tx: Tx, webhookId: number, message: Waiting, nowMs: number): Promise<boolean> {
  const { sql } = tx;
  const { id, type, body, createdMs, alertId } = message;
  const ruleId = ruleOf(body);
  const others = ruleId === undefined ? [] : await sql.all<{ id: number }>(OTHERS, ruleId, webhookId);
  const enabled = others.length === 0 ? [] : await lockEnabled(tx, idsOf(others));
  if (enabled.length === 0) {
    await sql.run(LEFT, NO_OTHER, id, NO_OTHER);
    return false;
  }
  const ids = JSON.stringify(idsOf(enabled));
  const have = new Set(idsOf(await sql.all<{ id: number }>(HAVE, ids, createdMs, type, body)));
  const earlier = alertId > 0 ? await deliveriesOfAlerts(tx, [alertId]) : [];
  const { data } = JSON.parse(body) as { readonly data: unknown };
  const lacking = enabled.filter((one) => !have.has(one.id) && wantsMessage(one, { type, data }, earlier));
  await storeMessages(tx, idsOf(lacking), [{ type, body, alertId }], nowMs);
  const names = (await sql.all<{ name: string }>(NAMES, ids)).map(({ name }) => `"${name}"`).join(', ');
  await sql.run(MOVED, `The receiver is gone. The message went to ${names}.`, id);
  return true;
}

const idsOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id);

/** Id of the rule that a message is of; undefined for an event. */
function ruleOf(body: string): number | undefined {
  const { data } = JSON.parse(body) as { readonly data?: { readonly rule_id?: unknown } | null };
  return Number.isInteger(data?.rule_id) ? (data?.rule_id as number) : undefined;
}

/** Ids of the channels that are gone and have messages that wait. */
export async function goneChannels({ prisma }: Tx): Promise<number[]> {
  const where = { enabled: false, goneMs: { gt: 0 }, deliveries: { some: { state: 'waiting' } } };
  return idsOf(await prisma.webhook.findMany({ where, select: { id: true } }));
}
