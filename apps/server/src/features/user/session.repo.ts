// Queries about sessions, and about where their owners have signed in from.
import type { Session, Slice, UserActor } from '@quarterdeck/core';
import { type Database, statement, type Tx } from '@quarterdeck/core/db';
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
}

/** Stores a session, which its sign-in has confirmed; returns its id. */
export async function createSession(tx: Tx, session: NewSession): Promise<number> {
  const createdMs = BigInt(session.createdMs);
  const { id } = await tx.prisma.session.create({
    data: { ...session, createdMs, confirmedMs: createdMs, expireMs: BigInt(session.expireMs) },
    select: { id: true },
  });
  return id;
}

interface SessionRow {
  readonly id: number;
  readonly address: string;
  readonly client: string;
  readonly created_ms: number;
  readonly last_used_ms: number;
  readonly expire_ms: number;
}

/** Neither expired nor idle for too long; {@link liveSince} has the parameters. */
const IS_LIVE = 'expire_ms > ? AND (created_ms > ? OR last_used_ms > ?)';

function liveSince(idle: SessionIdle, nowMs: number): [number, number, number] {
  const idleMs = idle.endedBeforeMs(nowMs);
  return [nowMs, idleMs, idleMs];
}

const LIST = statement(
  `SELECT id, address, client, created_ms, last_used_ms, expire_ms FROM session
   WHERE user_id = ? AND ${IS_LIVE} ORDER BY created_ms DESC, id DESC LIMIT ? OFFSET ?`,
);
const COUNT = statement(`SELECT count(*) AS n FROM session WHERE user_id = ? AND ${IS_LIVE}`);
const CONFIRM = statement('UPDATE session SET confirmed_ms = ? WHERE id = ? AND user_id = ?');
const REMOVE = statement('DELETE FROM session WHERE id = ? AND user_id = ?');
const REMOVE_ALL = statement('DELETE FROM session WHERE user_id = ? AND id <> ?');
const REMOVE_EXPIRED = statement(
  `DELETE FROM session WHERE id IN
     (SELECT id FROM session WHERE expire_ms <= ? OR (created_ms <= ? AND last_used_ms <= ?) LIMIT ?)`,
);

/** The caller's sessions that have not ended, newest first, and how many they are. */
export async function listSessions(db: Database, idle: SessionIdle, actor: UserActor, slice: Slice, nowMs: number) {
  const live = liveSince(idle, nowMs);
  const count = await db.read.sql.get<{ n: number }>(COUNT, actor.userId, ...live);
  const rows =
    slice.limit === 0 ? [] : await db.read.sql.all<SessionRow>(LIST, actor.userId, ...live, slice.limit, slice.offset);
  const current = currentSession(actor);
  const data: Session[] = rows.map((row) => ({
    id: row.id,
    current: row.id === current,
    address: row.address,
    client: row.client,
    created: row.created_ms / 1000,
    last_used: row.last_used_ms / 1000,
    expire: row.expire_ms,
    idle_until: idle.untilMs(Math.max(row.created_ms, row.last_used_ms)),
  }));
  return { data, meta: { count: count?.n ?? 0 } };
}

/** Id of the session a request came with; 0 where it came with an API token. */
export const currentSession = ({ credential }: UserActor): number =>
  credential.kind === 'session' ? credential.id : 0;

/** Notes that the user of a session has confirmed it; false where it has ended. */
export const confirmSession = async (tx: Tx, userId: number, id: number, nowMs: number): Promise<boolean> =>
  (await tx.sql.run(CONFIRM, nowMs, id, userId)).changes > 0;

/** Ends a session of a user; false where there is none. */
export const removeSession = async (tx: Tx, userId: number, id: number): Promise<boolean> =>
  (await tx.sql.run(REMOVE, id, userId)).changes > 0;

/** Ends the sessions of a user, but for one where its id is given; returns how many. */
export const removeSessions = async (tx: Tx, userId: number, exceptId = 0): Promise<number> =>
  (await tx.sql.run(REMOVE_ALL, userId, exceptId)).changes;

// Ids count up, so the oldest are the lowest.
const REMOVE_BEYOND = statement(
  `DELETE FROM session WHERE user_id = ? AND ${IS_LIVE} AND id <
     (SELECT id FROM session WHERE user_id = ? AND ${IS_LIVE} ORDER BY id DESC LIMIT 1 OFFSET ?)`,
);

/** Ends the oldest sessions of a user beyond so many that have not ended; returns how many. */
export async function removeSessionsBeyond(
  tx: Tx,
  idle: SessionIdle,
  userId: number,
  max: number,
  nowMs: number,
): Promise<number> {
  const live = liveSince(idle, nowMs);
  return (await tx.sql.run(REMOVE_BEYOND, userId, ...live, userId, ...live, max - 1)).changes;
}

/** Deletes up to `limit` sessions that expired, or were idle for too long, before a time; returns how many. */
export async function removeExpiredSessions(
  tx: Tx,
  idle: SessionIdle,
  beforeMs: number,
  limit: number,
): Promise<number> {
  const idleMs = idle.endedBeforeMs(beforeMs);
  return (await tx.sql.run(REMOVE_EXPIRED, beforeMs, idleMs, idleMs, limit)).changes;
}

const IS_KNOWN = statement('SELECT 1 AS yes FROM known_address WHERE user_id = ? AND address = ? AND last_ms > ?');
const KNOW = statement(
  `INSERT INTO known_address (user_id, address, last_ms) VALUES (?, ?, ?)
   ON CONFLICT (user_id, address) DO UPDATE SET last_ms = excluded.last_ms`,
);
const FORGET = statement('DELETE FROM known_address WHERE user_id = ?');
const FORGET_OLD = statement(
  `DELETE FROM known_address WHERE (user_id, address) IN
     (SELECT user_id, address FROM known_address WHERE last_ms <= ? LIMIT ?)`,
);

/** Whether a user has signed in from a network since a time. */
export const isKnownNetwork = async (db: Database, userId: number, network: string, sinceMs: number) =>
  (await db.read.sql.get(IS_KNOWN, userId, network, sinceMs)) !== undefined;

/** Remembers where a user has signed in from. */
export async function rememberNetwork(tx: Tx, userId: number, network: string, nowMs: number): Promise<void> {
  await tx.sql.run(KNOW, userId, network, nowMs);
}

/** Forgets where a user has signed in from: it may not have been them. */
export async function removeNetworks(tx: Tx, userId: number): Promise<void> {
  await tx.sql.run(FORGET, userId);
}

/** Forgets up to `limit` networks last signed in from before a time; returns how many. */
export const removeOldNetworks = async (tx: Tx, beforeMs: number, limit: number): Promise<number> =>
  (await tx.sql.run(FORGET_OLD, beforeMs, limit)).changes;
