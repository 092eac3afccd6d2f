// Queries that bound the deliveries of each channel, and the numbers about all of them.
import { type Database, statement, type Tx } from '@quarterdeck/core/db';

/** Messages of a channel that wait, and deliveries of each other state that are kept. */
const KEPT_MAX = 10_000;
/** Time for which an ended delivery is kept. */
const DELIVERED_KEPT_MS = 7 * 86_400_000;
const DEAD_KEPT_MS = 30 * 86_400_000;
const SLICE = 500;

// Deliveries expire in the order of their ids, except for those that are sent again.
const EXPIRE = statement(
  `UPDATE webhook_delivery SET state = 'dead', error = CASE WHEN error = '' THEN ? ELSE error END
   WHERE state = 'waiting' AND id IN (SELECT id FROM (
     SELECT id, expires_ms FROM webhook_delivery WHERE webhook_id = ? AND state = 'waiting' ORDER BY id LIMIT ${SLICE}
   ) AS first WHERE expires_ms <= ?)`,
);
const BEYOND = statement(
  `SELECT id FROM webhook_delivery WHERE webhook_id = ? AND state = ? ORDER BY id DESC LIMIT 1 OFFSET ?`,
);
const DROP = statement(
  `UPDATE webhook_delivery SET state = 'dead', error = ? WHERE state = 'waiting' AND id IN (
     SELECT id FROM webhook_delivery WHERE webhook_id = ? AND state = 'waiting' AND id <= ? ORDER BY id LIMIT ${SLICE})`,
);
const REMOVE_BEYOND = statement(
  `DELETE FROM webhook_delivery WHERE state = ? AND id IN (
     SELECT id FROM webhook_delivery WHERE webhook_id = ? AND state = ? AND id <= ? ORDER BY id LIMIT ${SLICE})`,
);
const REMOVE_OLD = statement(
  `DELETE FROM webhook_delivery WHERE state <> 'waiting' AND id IN (
     SELECT id FROM webhook_delivery
     WHERE state <> 'waiting' AND created_ms < ? AND (state = 'delivered' OR created_ms < ?) LIMIT ${SLICE})`,
);

const NOT_SENT = 'The message was not sent within a day.';
const TOO_MANY = 'Too many messages waited for this channel.';

/** Gives up what waits too long or is too much, and deletes old deliveries, slice by slice. */
export async function boundDeliveries(
  db: Database,
  nowMs: number,
  stopped: () => boolean,
  keptMax = KEPT_MAX,
): Promise<void> {
  const inSlices = async (slice: (tx: Tx) => Promise<{ readonly changes: number }>) => {
    while (!stopped() && (await db.write(slice)).changes === SLICE);
  };
  const beyond = async (id: number, state: string) =>
    (await db.read.sql.get<{ id: number }>(BEYOND, id, state, keptMax))?.id;

  const channels = await db.read.prisma.webhook.findMany({ select: { id: true } });
  for (const { id } of channels) {
    await inSlices(({ sql }) => sql.run(EXPIRE, NOT_SENT, id, nowMs));
    const oldest = await beyond(id, 'waiting');
    if (oldest !== undefined) await inSlices(({ sql }) => sql.run(DROP, TOO_MANY, id, oldest));
    for (const state of ['delivered', 'dead']) {
      const last = await beyond(id, state);
      if (last !== undefined) await inSlices(({ sql }) => sql.run(REMOVE_BEYOND, state, id, state, last));
    }
  }
  if (channels.length === 0) return;
  await inSlices(({ sql }) => sql.run(REMOVE_OLD, nowMs - DELIVERED_KEPT_MS, nowMs - DEAD_KEPT_MS));
}

const count = (state: string) =>
  `(SELECT count(*) FROM webhook_delivery d WHERE d.webhook_id = w.id AND d.state = '${state}')`;
const NUMBERS = statement(
  `SELECT ${count('waiting')} AS waiting, ${count('dead')} AS dead, (SELECT created_ms FROM webhook_delivery d
     WHERE d.webhook_id = w.id AND d.state = 'waiting' ORDER BY d.id LIMIT 1) AS "oldestMs" FROM webhook w`,
);

/** Numbers of the deliveries of all channels. */
export interface DeliveryNumbers {
  readonly waiting: number;
  readonly dead: number;
  /** Time at which the oldest waiting one was queued; undefined without one. */
  readonly oldestMs: number | undefined;
}

/** Counts the deliveries of all channels. */
export async function countDeliveries({ sql }: Tx): Promise<DeliveryNumbers> {
  const rows = await sql.all<{ waiting: number; dead: number; oldestMs: number | null }>(NUMBERS);
  const oldest = rows.map(({ oldestMs }) => oldestMs).filter((ms) => ms !== null);
  return {
    waiting: rows.reduce((sum, { waiting }) => sum + waiting, 0),
    dead: rows.reduce((sum, { dead }) => sum + dead, 0),
    oldestMs: oldest.length === 0 ? undefined : Math.min(...oldest),
  };
}
