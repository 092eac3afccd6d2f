// Queries about channels.
import type { Slice, WebhookKind } from '@quarterdeck/core';
import { type PrismaTypes, statement, type Tx, type Webhook } from '@quarterdeck/core/db';
import type { AuthorColumns } from '../../auth/author.repo.ts';

/** A channel as the database has it. */
export type WebhookRow = Omit<Webhook, 'kind' | 'eventId' | MsField> & { readonly kind: WebhookKind } & {
  readonly [Name in 'eventId' | MsField]: number;
};
type MsField = 'previousUntilMs' | 'failingSinceMs' | 'goneMs' | 'createdMs' | 'modifiedMs';

const toRow = (row: Webhook): WebhookRow => ({
  ...row,
  kind: row.kind as WebhookKind,
  previousUntilMs: Number(row.previousUntilMs),
  eventId: Number(row.eventId),
  failingSinceMs: Number(row.failingSinceMs),
  goneMs: Number(row.goneMs),
  createdMs: Number(row.createdMs),
  modifiedMs: Number(row.modifiedMs),
});

/** A page of channels, newest first. */
export async function listWebhooks({ prisma }: Tx, { offset, limit }: Slice) {
  const count = await prisma.webhook.count();
  if (limit === 0 || offset >= count) return { rows: [], count };
  const rows = await prisma.webhook.findMany({ orderBy: { id: 'desc' }, skip: offset, take: limit });
  return { rows: rows.map(toRow), count };
}

/** Finds a channel; undefined where there is none. */
export async function findWebhook({ prisma }: Tx, id: number): Promise<WebhookRow | undefined> {
  const row = await prisma.webhook.findUnique({ where: { id } });
  return row === null ? undefined : toRow(row);
}

// Prisma cannot lock a row.
const LOCK = statement({
  sqlite: 'SELECT id FROM webhook WHERE id = ?',
  postgresql: 'SELECT id FROM webhook WHERE id = $1 FOR UPDATE',
});

/** Locks a channel until the end of the write; undefined where there is none. */
export async function lockWebhook(tx: Tx, id: number): Promise<WebhookRow | undefined> {
  await tx.sql.all(LOCK, id);
  return findWebhook(tx, id);
}

/** Counts the channels. */
export const countWebhooks = ({ prisma }: Tx): Promise<number> => prisma.webhook.count();

/** Stores a channel; its encrypted parts need its id. */
export async function createWebhook(
  { prisma }: Tx,
  data: Pick<
    WebhookRow,
    | 'name'
    | 'kind'
    | 'recipients'
    | 'types'
    | 'filter'
    | 'enabled'
    | 'prefix'
    | 'parts'
    | 'createdBy'
    | 'eventId'
    | keyof AuthorColumns
  >,
  nowMs: number,
): Promise<WebhookRow> {
  return toRow(await prisma.webhook.create({ data: { ...data, createdMs: nowMs, modifiedMs: nowMs } }));
}

/** Changes a channel; returns it. Needs {@link lockWebhook}. */
export async function updateWebhook({ prisma }: Tx, id: number, data: PrismaTypes.WebhookUpdateInput) {
  return toRow(await prisma.webhook.update({ where: { id }, data }));
}

/** Deletes a channel with the deliveries that are left. */
export async function removeWebhook({ prisma }: Tx, id: number): Promise<void> {
  await prisma.webhook.deleteMany({ where: { id } });
}

/** Numbers of a channel. */
export interface WebhookCounts {
  readonly waiting: number;
  readonly dead: number;
  readonly rules: number;
}

/** Counts deliveries that wait or are dead, and rules, of each of some channels. */
export async function countsOf({ prisma }: Tx, ids: readonly number[]): Promise<(id: number) => WebhookCounts> {
  const webhookId = { in: [...ids] };
  const states = await prisma.webhookDelivery.groupBy({
    by: ['webhookId', 'state'],
    where: { webhookId, state: { in: ['waiting', 'dead'] } },
    _count: true,
  });
  const rules = await prisma.alertChannel.groupBy({ by: ['webhookId'], where: { webhookId }, _count: true });
  const inState = (id: number, state: string) =>
    states.find((group) => group.webhookId === id && group.state === state)?._count ?? 0;
  return (id) => ({
    waiting: inState(id, 'waiting'),
    dead: inState(id, 'dead'),
    rules: rules.find((group) => group.webhookId === id)?._count ?? 0,
  });
}

// Events that were removed have used up their ids. Without the last one, they would look like a gap.
const LAST_EVENT = statement({
  sqlite: `SELECT coalesce((SELECT max(id) FROM event), (SELECT seq FROM sqlite_sequence WHERE name = 'event'), 0) AS id`,
  postgresql: `SELECT coalesce((SELECT max(id) FROM event), pg_sequence_last_value('event_id_seq'), 0) AS id`,
});

/** Id of the newest event, also of one that was removed; 0 where there was none. */
export const newestEventId = async ({ sql }: Tx): Promise<number> =>
  (await sql.get<{ id: number }>(LAST_EVENT))?.id ?? 0;
