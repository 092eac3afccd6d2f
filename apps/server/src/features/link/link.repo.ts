// Reads and writes of read-only links.
import type { SharedLink, Slice } from '@quarterdeck/core';
import type { Prisma, Tx } from '@quarterdeck/core/db';

/** The subject that a link shows. */
export interface LinkSubject {
  readonly subject: 'alert' | 'errlog';
  readonly subjectId: number;
}

type NewLink = LinkSubject &
  Pick<Parameters<Prisma['sharedLink']['create']>[0]['data'], 'tokenHash' | 'createdMs' | 'expireMs'> & {
    readonly userId: number;
  };

/** Adds a link; returns its id. */
export async function createLink({ prisma }: Tx, data: NewLink): Promise<number> {
  const { id } = await prisma.sharedLink.create({ data });
  return id;
}

/** Number of links of a user that have not ended. */
export const countLinks = ({ prisma }: Tx, userId: number, nowMs: number): Promise<number> =>
  prisma.sharedLink.count({ where: { userId, expireMs: { gt: nowMs } } });

/** A page of the links to one subject that have not ended, newest first, and the number of all. */
export async function listLinks(
  { prisma }: Tx,
  { subject, subjectId }: LinkSubject,
  { offset, limit }: Slice,
  nowMs: number,
): Promise<{ data: SharedLink[]; meta: { count: number } }> {
  const where = { subject, subjectId, expireMs: { gt: nowMs } };
  const count = await prisma.sharedLink.count({ where });
  if (limit === 0) return { data: [], meta: { count } };
  const rows = await prisma.sharedLink.findMany({
    where,
    orderBy: [{ createdMs: 'desc' }, { id: 'desc' }],
    skip: offset,
    take: limit,
    include: { user: { select: { username: true } } },
  });
  const data = rows.map((row) => ({
    id: row.id,
    expire: Number(row.expireMs),
    created: Number(row.createdMs) / 1000,
    created_by: row.user.username,
    last_used: row.lastUsedMs === 0n ? null : Number(row.lastUsedMs) / 1000,
  }));
  return { data, meta: { count } };
}

/** Removes a link; returns false where there is none. */
export async function removeLink({ prisma }: Tx, id: number, { subject, subjectId }: LinkSubject): Promise<boolean> {
  const { count } = await prisma.sharedLink.deleteMany({ where: { id, subject, subjectId } });
  return count > 0;
}

/** Removes links that ended before a time, at most `limit`; returns their number. */
export async function removeEndedLinks({ prisma }: Tx, beforeMs: number, limit: number): Promise<number> {
  const rows = await prisma.sharedLink.findMany({
    where: { expireMs: { lt: beforeMs } },
    select: { id: true },
    take: limit,
  });
  if (rows.length === 0) return 0;
  const { count } = await prisma.sharedLink.deleteMany({ where: { id: { in: rows.map(({ id }) => id) } } });
  return count;
}
