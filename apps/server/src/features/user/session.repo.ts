// Queries about sessions. The credential check has its own, in http/credential.repo.ts.
import type { Session, Slice, UserActor } from '@quarterdeck/core';
import type { Database, PrismaTypes, Tx } from '@quarterdeck/core/db';
import type { SessionIdle } from '../../auth/session-idle.ts';

/** A session to be stored. */
export interface NewSession {
  readonly userId: number;
  readonly tokenHash: Uint8Array<ArrayBuffer>;
  readonly remember: boolean;
  readonly address: string;
  readonly client: string;
  readonly createdMs: number;
  readonly expireMs: number;
  readonly confirmedMs: number;
  readonly ssoId: number | null;
  readonly secondFactor: boolean;
}

/** Stores a session; returns its id. */
export async function createSession(tx: Tx, data: NewSession): Promise<number> {
  return (await tx.prisma.session.create({ data, select: { id: true } })).id;
}

/** Finds a session that has not expired, with its user; undefined where there is none, or the user is disabled. */
export async function findLiveSession({ prisma }: Tx, id: number, nowMs: number) {
  const where = { id, expireMs: { gt: nowMs }, user: { disabled: false } };
  return (await prisma.session.findFirst({ where, include: { user: true } })) ?? undefined;
}

/** Finds the provider that a session was opened with; undefined for a password. */
export async function findProvider({ prisma }: Tx, id: number): Promise<string | undefined> {
  const row = await prisma.session.findUnique({ where: { id }, select: { sso: { select: { provider: true } } } });
  return row?.sso?.provider;
}

/** The live sessions of a user: neither expired nor idle for too long. */
function liveSessions(userId: number, idle: SessionIdle, nowMs: number): PrismaTypes.SessionWhereInput {
  const used = { gt: idle.endedBeforeMs(nowMs) };
  return { userId, expireMs: { gt: nowMs }, OR: [{ createdMs: used }, { lastUsedMs: used }] };
}

/** Lists the caller's live sessions, newest first, and counts them. */
export async function listSessions(db: Database, idle: SessionIdle, actor: UserActor, slice: Slice, nowMs: number) {
  const where = liveSessions(actor.userId, idle, nowMs);
  const count = await db.read.prisma.session.count({ where });
  const rows = await db.read.prisma.session.findMany({
    where,
    orderBy: [{ createdMs: 'desc' }, { id: 'desc' }],
    skip: slice.offset,
    take: slice.limit,
  });
  const current = currentSession(actor);
  const data: Session[] = rows.map(({ id, address, client, createdMs, lastUsedMs, expireMs }) => ({
    id,
    current: id === current,
    address,
    client,
    created: Number(createdMs) / 1000,
    last_used: Number(lastUsedMs) / 1000,
    expire: Number(expireMs),
    idle_until: idle.untilMs(Math.max(Number(createdMs), Number(lastUsedMs))),
  }));
  return { data, meta: { count } };
}

/** Id of the session a request came with; 0 where it came with an API token. */
export const currentSession = ({ credential }: UserActor): number =>
  credential.kind === 'session' ? credential.id : 0;

/** Records that the user of a session has confirmed it; false where it has ended. */
export async function confirmSession(tx: Tx, userId: number, id: number, nowMs: number): Promise<boolean> {
  const { count } = await tx.prisma.session.updateMany({ where: { id, userId }, data: { confirmedMs: nowMs } });
  return count > 0;
}

/** Ends a session of a user; false where there is none. */
export async function removeSession(tx: Tx, userId: number, id: number): Promise<boolean> {
  return (await tx.prisma.session.deleteMany({ where: { id, userId } })).count > 0;
}

/** Ends the sessions of a user, except one where its id is given; returns how many. */
export async function removeSessions(tx: Tx, userId: number, exceptId = 0): Promise<number> {
  return (await tx.prisma.session.deleteMany({ where: { userId, id: { not: exceptId } } })).count;
}

/** Ends the oldest live sessions of a user beyond a number of them; returns how many. */
export async function removeSessionsBeyond(
  tx: Tx,
  idle: SessionIdle,
  userId: number,
  max: number,
  nowMs: number,
): Promise<number> {
  const where = liveSessions(userId, idle, nowMs);
  // Ids count up, so the oldest are the lowest.
  const newestToEnd = await tx.prisma.session.findFirst({ where, orderBy: { id: 'desc' }, skip: max });
  if (newestToEnd === null) return 0;
  return (await tx.prisma.session.deleteMany({ where: { ...where, id: { lte: newestToEnd.id } } })).count;
}

/** Deletes up to `limit` sessions that expired, or were idle for too long, before a time; returns how many. */
export async function removeExpiredSessions(
  tx: Tx,
  idle: SessionIdle,
  beforeMs: number,
  limit: number,
): Promise<number> {
  const used = { lte: idle.endedBeforeMs(beforeMs) };
  const where = { OR: [{ expireMs: { lte: beforeMs } }, { createdMs: used, lastUsedMs: used }] };
  return (await tx.prisma.session.deleteMany({ where, limit })).count;
}
