// Queries about people.
import type { RoleName, Slice, User } from '@quarterdeck/core';
import { type Database, statement, type Tx } from '@quarterdeck/core/db';
import { exclusiveLock } from '../../sql/locks.ts';

/** A person as the sign-in needs them. */
export interface UserRow {
  readonly id: number;
  readonly username: string;
  readonly password_hash: string;
  readonly role: string;
  /** 0 or 1. */
  readonly disabled: number;
  readonly created_ms: number;
  readonly modified_ms: number;
  readonly totp_seed: Uint8Array<ArrayBuffer> | null;
  /** 0: there is no second factor, or it has not been confirmed. */
  readonly totp_since_ms: number;
}

const COLUMNS =
  'u.id, u.username, u.password_hash, u.role, u.disabled, u.created_ms, u.modified_ms, u.totp_seed, u.totp_since_ms';

const GET = statement(`SELECT ${COLUMNS} FROM "user" u WHERE u.id = ?`);
// Whoever holds a row decides about it alone until the end of the write. SQLite has one writer anyway.
const HOLD = statement({
  sqlite: `SELECT ${COLUMNS} FROM "user" u WHERE u.id = ?`,
  postgresql: `SELECT ${COLUMNS} FROM "user" u WHERE u.id = $1 FOR NO KEY UPDATE`,
});
const FIND = statement(`SELECT ${COLUMNS} FROM "user" u WHERE u.username = ?`);
const FIND_TO_SIGN_IN = statement(
  `SELECT ${COLUMNS}, (SELECT count(*) FROM known_address k WHERE k.user_id = u.id AND k.address = ? AND k.last_ms > ?) AS known
   FROM "user" u WHERE u.username = ?`,
);
const LIST = statement(`SELECT ${COLUMNS} FROM "user" u ORDER BY u.created_ms DESC, u.id DESC LIMIT ? OFFSET ?`);
const COUNT = statement('SELECT count(*) AS n FROM "user"');

/** Whether somebody is there to sign in. */
export const isUsable = (user: UserRow): boolean => user.disabled === 0;
/** Whether a second factor is asked for. */
export const hasSecondFactor = (user: UserRow): boolean => user.totp_since_ms > 0;

/** Whether what somebody showed when the one row was read would still do for the other. */
export const isSameProof = (a: UserRow, b: UserRow): boolean =>
  a.password_hash === b.password_hash && a.totp_since_ms === b.totp_since_ms;

/** A person as the wire has them. */
export function toUser(row: UserRow): User {
  return {
    id: row.id,
    username: row.username,
    role: row.role,
    disabled: row.disabled !== 0,
    second_factor: hasSecondFactor(row),
    _created_unix: row.created_ms / 1000,
    _modified_unix: row.modified_ms / 1000,
  };
}

/** One person; undefined where there is none. */
export const findUserById = (door: Tx, id: number): Promise<UserRow | undefined> => door.sql.get<UserRow>(GET, id);

/** One person as they are now, for a write that is about them. */
export const holdUser = (tx: Tx, id: number): Promise<UserRow | undefined> => tx.sql.get<UserRow>(HOLD, id);

/** The person of exactly this name; undefined where there is none. */
export const findUserByName = (door: Tx, username: string): Promise<UserRow | undefined> =>
  door.sql.get<UserRow>(FIND, username);

/** The person of a name, and whether they have signed in from a network since a time. One query, whoever it is. */
export async function findToSignIn(
  db: Database,
  username: string,
  network: string,
  knownSinceMs: number,
): Promise<{ user: UserRow | undefined; known: boolean }> {
  const row = await db.read.sql.get<UserRow & { known: number }>(FIND_TO_SIGN_IN, network, knownSinceMs, username);
  return { user: row, known: (row?.known ?? 0) > 0 };
}

/** Everybody, newest first, and how many they are. */
export async function listUsers(db: Database, slice: Slice) {
  const count = await db.read.sql.get<{ n: number }>(COUNT);
  const rows = slice.limit === 0 ? [] : await db.read.sql.all<UserRow>(LIST, slice.limit, slice.offset);
  return { data: rows.map(toUser), meta: { count: count?.n ?? 0 } };
}

/** Makes the first user and returns their id; undefined where there already is somebody. */
export async function createFirstUser(
  tx: Tx,
  first: { username: string; passwordHash: string; role: string },
  nowMs: number,
): Promise<number | undefined> {
  if ((await tx.prisma.user.count()) > 0) return undefined;
  const times = { createdMs: BigInt(nowMs), modifiedMs: BigInt(nowMs) };
  return (await tx.prisma.user.create({ data: { ...first, ...times }, select: { id: true } })).id;
}

/** Whether there is anybody at all. */
export const hasUsers = async (db: Database): Promise<boolean> => (await db.read.prisma.user.findFirst()) !== null;

// What is decided about everybody (is the name free, is another master left) is decided by one write at a time.
const LOCK = exclusiveLock('users');
const SAME_NAME = statement('SELECT id FROM "user" WHERE lower(username) = lower(?) AND id <> ? LIMIT 1');
const OTHER_MASTER = statement(`SELECT id FROM "user" WHERE role = 'master' AND NOT disabled AND id <> ? LIMIT 1`);
const INSERT = statement(
  `INSERT INTO "user" (username, password_hash, role, created_ms, modified_ms) VALUES (?, ?, ?, ?, ?)
   ON CONFLICT (username) DO NOTHING RETURNING id`,
);
const UPDATE = statement(
  `UPDATE "user" SET username = ?, password_hash = ?, role = ?, disabled = (CAST(? AS integer) = 1), modified_ms = ?
   WHERE id = ?`,
);
const SET_PASSWORD = statement('UPDATE "user" SET password_hash = ?, modified_ms = ? WHERE id = ?');
const DELETE = statement('DELETE FROM "user" WHERE id = ?');

/** Begins a write that decides about everybody. Call it before anything else in that write. */
export async function lockUsers(tx: Tx): Promise<void> {
  await tx.sql.all(LOCK);
}

/** Whether somebody other than `exceptId` has this name, or one that differs only in case. Needs {@link lockUsers}. */
export const isNameTaken = async (tx: Tx, username: string, exceptId = 0): Promise<boolean> =>
  (await tx.sql.get(SAME_NAME, username, exceptId)) !== undefined;

/** Whether there is a master who can sign in besides this one. Needs {@link lockUsers}. */
export const hasOtherMaster = async (tx: Tx, id: number): Promise<boolean> =>
  (await tx.sql.get(OTHER_MASTER, id)) !== undefined;

/** Stores a person and returns their id; undefined where the name is taken. Needs {@link lockUsers}. */
export async function createUser(
  tx: Tx,
  draft: { username: string; passwordHash: string; role: RoleName },
  nowMs: number,
): Promise<number | undefined> {
  const { username, passwordHash, role } = draft;
  if (await isNameTaken(tx, username)) return undefined;
  return (await tx.sql.get<{ id: number }>(INSERT, username, passwordHash, role, nowMs, nowMs))?.id;
}

/** Stores what an administrator may change of a person. */
export async function updateUser(tx: Tx, user: UserRow, nowMs: number): Promise<void> {
  await tx.sql.run(UPDATE, user.username, user.password_hash, user.role, user.disabled, nowMs, user.id);
}

/** Stores a password. */
export async function setPassword(tx: Tx, id: number, passwordHash: string, nowMs: number): Promise<void> {
  await tx.sql.run(SET_PASSWORD, passwordHash, nowMs, id);
}

/** Deletes a person, and with them their sessions, API tokens, recovery codes and known addresses. */
export async function deleteUser(tx: Tx, id: number): Promise<void> {
  await tx.sql.run(DELETE, id);
}
