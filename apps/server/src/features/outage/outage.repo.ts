// Reads and writes of outages. `agent.outage_id` is the outage that an agent went silent in, until it returns or the
// outage ends. A returning agent changes its own row alone, not the row that all agents of the outage share.
import type { Outage, Page, Slice } from '@quarterdeck/core';
import type { Outage as OutageRow, Tx } from '@quarterdeck/core/db';

export type { OutageRow };

/** Absent agents that an outage shows as examples. */
const SAMPLE = 10;

/** Members of an outage. `gt: 0` lets the partial index serve the query. */
const membersWhere = (id: number) => ({ outageId: { equals: id, gt: 0 } });
const absentWhere = (id: number) => ({ ...membersWhere(id), state: 'offline', isDeleted: false });

async function toOutage({ prisma }: Tx, row: OutageRow): Promise<Outage> {
  const isOpen = row.endedMs === 0n;
  const sample = isOpen
    ? await prisma.agent.findMany({
        where: absentWhere(row.id),
        orderBy: { id: 'asc' },
        take: SAMPLE,
        select: { id: true, hostname: true },
      })
    : [];
  return {
    id: row.id,
    started: Math.floor(Number(row.startedMs) / 1000),
    ended: isOpen ? null : Math.floor(Number(row.endedMs) / 1000),
    lost: row.lost,
    returned: row.returned,
    sample,
  };
}

/** A page of outages, newest first. */
export async function listOutages(tx: Tx, { offset, limit }: Slice): Promise<Page<Outage>> {
  const { prisma } = tx;
  const count = await prisma.outage.count();
  if (limit === 0) return { data: [], meta: { count } };
  const rows = await prisma.outage.findMany({
    orderBy: [{ startedMs: 'desc' }, { id: 'desc' }],
    skip: offset,
    take: limit,
  });
  return { data: await Promise.all(rows.map((row) => toOutage(tx, row))), meta: { count } };
}

/** An outage as the wire has it; undefined where there is none. */
export async function findOutage(tx: Tx, id: number): Promise<Outage | undefined> {
  const row = await tx.prisma.outage.findUnique({ where: { id } });
  return row === null ? undefined : toOutage(tx, row);
}

/** Outages that have not ended, oldest first. */
export const findOpenOutages = ({ prisma }: Tx): Promise<OutageRow[]> =>
  prisma.outage.findMany({ where: { endedMs: 0 }, orderBy: { id: 'asc' } });

/** Counts the members of an outage: agents that have not returned. */
export async function countMembers({ prisma }: Tx, id: number) {
  const all = await prisma.agent.aggregate({
    where: membersWhere(id),
    _count: { id: true },
    _max: { stateSinceMs: true },
  });
  return {
    members: all._count.id,
    /** Members that are offline and not deleted. */
    absent: await prisma.agent.count({ where: absentWhere(id) }),
    /** Time of the last loss, Unix milliseconds. */
    grownMs: Number(all._max.stateSinceMs ?? 0n),
  };
}

/** Adds an outage without members; returns its id. */
export async function createOutage({ prisma }: Tx, startedMs: number): Promise<number> {
  return (await prisma.outage.create({ data: { startedMs, lost: 0 } })).id;
}

/** Adds to the number of lost agents. */
export const addLost = ({ prisma }: Tx, id: number, count: number): Promise<unknown> =>
  prisma.outage.update({ where: { id }, data: { lost: { increment: count } } });

/** Stores the number of returned agents. `endedMs` is 0 as long as the outage goes on. */
export async function setReturned({ prisma }: Tx, id: number, returned: number, endedMs: number): Promise<void> {
  await prisma.outage.updateMany({ where: { id, endedMs: 0 }, data: { returned, endedMs } });
  // The return of an agent that is still absent is an event of its own.
  if (endedMs > 0) await prisma.agent.updateMany({ where: membersWhere(id), data: { outageId: 0 } });
}
