// Queries about people and their sessions.
import { type Database, type Door, statement } from '@quarterdeck/core/db';

/** A person as the sign-in needs them. */
export interface UserRow {
  readonly id: number;
  readonly username: string;
  readonly passwordHash: string;
  readonly role: string;
  readonly disabled: boolean;
  readonly createdMs: bigint;
  readonly modifiedMs: bigint;
}

/** The user of a name, or null. */
export const findUser = (db: Database, username: string): Promise<UserRow | null> =>
  db.read.prisma.user.findUnique({ where: { username } });

/** Makes the first user; false where there already is somebody. */
export async function createFirstUser(
  tx: Door,
  first: { username: string; passwordHash: string; role: string },
  nowMs: number,
): Promise<boolean> {
  if ((await tx.prisma.user.count()) > 0) return false;
  await tx.prisma.user.create({ data: { ...first, createdMs: BigInt(nowMs), modifiedMs: BigInt(nowMs) } });
  return true;
}

/** Whether there is anybody at all. */
export const hasUsers = async (db: Database): Promise<boolean> => (await db.read.prisma.user.findFirst()) !== null;

/** A session to be stored. */
export interface NewSession {
  readonly userId: number;
  readonly tokenHash: Uint8Array<ArrayBuffer>;
  readonly remember: boolean;
  readonly address: string;
  readonly client: string;
  readonly createdMs: number;
  readonly expireMs: number;
}

/** Stores a session. */
export async function createSession(tx: Door, session: NewSession): Promise<void> {
  await tx.prisma.session.create({
    data: { ...session, createdMs: BigInt(session.createdMs), expireMs: BigInt(session.expireMs) },
  });
}

/** Ends a session. */
export async function removeSession(tx: Door, id: number): Promise<void> {
  await tx.prisma.session.deleteMany({ where: { id } });
}

const REMOVE_EXPIRED = statement(
  'DELETE FROM session WHERE id IN (SELECT id FROM session WHERE expire_ms <= ? LIMIT ?)',
);

/** Deletes up to `limit` sessions that expired before a time; returns how many. */
export const removeExpiredSessions = async (tx: Door, beforeMs: number, limit: number): Promise<number> =>
  (await tx.sql.run(REMOVE_EXPIRED, beforeMs, limit)).changes;
