// The newest group that was announced as an event.
import type { Tx } from '@quarterdeck/core/db';
import { readSetting, storeSetting } from '@quarterdeck/core/sql';

const ANNOUNCED = 'errlog_announced';

/** Id of the newest group, 0 without groups. */
export async function newestGroup({ prisma }: Tx): Promise<number> {
  const newest = await prisma.errlog.findFirst({ select: { id: true }, orderBy: { id: 'desc' } });
  return Number(newest?.id ?? 0);
}

/** Ids of groups after one, oldest first. */
export async function groupsAfter({ prisma }: Tx, id: number, limit: number): Promise<number[]> {
  const where = { id: { gt: id } };
  const rows = await prisma.errlog.findMany({ where, select: { id: true }, orderBy: { id: 'asc' }, take: limit });
  return rows.map((row) => Number(row.id));
}

/** Id of the newest group that was announced; undefined before the first one. */
export async function announcedGroup(tx: Tx): Promise<number | undefined> {
  const text = await readSetting(tx, ANNOUNCED);
  return text === undefined ? undefined : Number(text);
}

/** Stores that all groups up to one were announced. Another server may have announced newer ones. */
export async function storeAnnounced(tx: Tx, id: number): Promise<void> {
  if (id > ((await announcedGroup(tx)) ?? -1)) await storeSetting(tx, ANNOUNCED, String(id));
}
