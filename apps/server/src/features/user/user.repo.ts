// Queries about users.
import { type NO_ROLE, type RoleName, rolesWith, type Slice, type User } from '@quarterdeck/core';
import { type Database, statement, type Tx, type User as UserRow } from '@quarterdeck/core/db';
import { exclusiveLock } from '@quarterdeck/core/sql';
import { nameKey } from '../../auth/name-key.ts';
import { isKnownNetwork } from './known-address.repo.ts';

export type { UserRow };

/** True where a user is not disabled. */
export const isEnabled = (user: UserRow): boolean => !user.disabled;
/** True where a user has a confirmed second factor. */
export const hasSecondFactor = (user: UserRow): boolean => user.totpSinceMs > 0;

/** True where both rows need the same password and second factor. */
export const hasSameCredentials = (a: UserRow, b: UserRow): boolean =>
  a.passwordHash === b.passwordHash && a.totpSinceMs === b.totpSinceMs;

/** Converts a user to the wire. */
export function toUser(row: UserRow): User {
  return {
    id: row.id,
    username: row.username,
    role: row.role,
    disabled: row.disabled,
    second_factor: hasSecondFactor(row),
    ...(row.errlogFilter !== '' && { errlog_filter: row.errlogFilter }),
    _created_unix: Number(row.createdMs) / 1000,
    _modified_unix: Number(row.modifiedMs) / 1000,
  };
}

export async function findUserById(tx: Tx, id: number): Promise<UserRow | undefined> {
  return (await tx.prisma.user.findUnique({ where: { id } })) ?? undefined;
}

/** Finds the user of exactly this name. */
export async function findUserByName(tx: Tx, username: string): Promise<UserRow | undefined> {
  return (await tx.prisma.user.findUnique({ where: { username } })) ?? undefined;
}

// Prisma cannot lock a row. SQLite has one writer anyway.
const LOCK_USER = statement({
  sqlite: 'SELECT ? AS id',
  postgresql: 'SELECT id FROM "user" WHERE id = $1 FOR NO KEY UPDATE',
});

/** Locks a user until the end of the write, and reads them. */
export async function lockUser(tx: Tx, id: number): Promise<UserRow | undefined> {
  await tx.sql.get(LOCK_USER, id);
  return findUserById(tx, id);
}

/**
 * Finds the user who signs in, and whether the network is known for them. An unknown name costs the same queries, so
 * that the time of the answer does not reveal which names exist.
 */
export async function findUserToSignIn(
  { read }: Database,
  username: string,
  network: string,
  nowMs: number,
): Promise<{ user: UserRow | undefined; known: boolean }> {
  const user = await findUserByName(read, username);
  return { user, known: await isKnownNetwork(read, username, network, nowMs) };
}

/** Lists users, newest first, and counts them. */
export async function listUsers({ read }: Database, slice: Slice) {
  const count = await read.prisma.user.count();
  const rows = await read.prisma.user.findMany({
    orderBy: [{ createdMs: 'desc' }, { id: 'desc' }],
    skip: slice.offset,
    take: slice.limit,
  });
  return { data: rows.map(toUser), meta: { count } };
}

/** True where there is at least one user. */
export async function hasUsers(tx: Tx): Promise<boolean> {
  return (await tx.prisma.user.findFirst({ select: { id: true } })) !== null;
}

const LOCK_USERS = exclusiveLock('users');

/**
 * Lets one write at a time decide about all users: whether a name is free, or another manager is left. Call it before
 * anything else in that write.
 */
export async function lockUsers(tx: Tx): Promise<void> {
  await tx.sql.all(LOCK_USERS);
}

/** True where another user has this name, or one that differs only in case. Needs {@link lockUsers}. */
export async function isNameTaken({ prisma }: Tx, username: string, exceptId = 0): Promise<boolean> {
  const key = nameKey(username);
  // Users without a key are few: those whose key another user had.
  const where = { id: { not: exceptId }, OR: [{ nameKey: key }, { nameKey: null }] };
  const rows = await prisma.user.findMany({ where, select: { username: true } });
  return rows.some((row) => nameKey(row.username) === key);
}

/** Roles that manage users. One user of such a role must always be able to sign in. */
export const MANAGER_ROLES = rolesWith('user:write');

/** Stands for the hash of a user who has no password and signs in with a provider alone. */
export const NO_PASSWORD = '';

/** True for a role that manages users. */
export const isManager = (role: string): boolean => (MANAGER_ROLES as readonly string[]).includes(role);

/**
 * True where a user can sign in with a password, whatever happens to a provider, and manage users. A user who sees a
 * part of the sources manages nobody.
 */
export const isActiveManager = (user: UserRow): boolean =>
  isEnabled(user) && user.passwordHash !== NO_PASSWORD && isManager(user.role) && user.errlogFilter === '';

/** True where {@link isActiveManager} holds for another user. Needs {@link lockUsers}. */
export async function hasOtherManager(tx: Tx, id: number): Promise<boolean> {
  const where = {
    role: { in: MANAGER_ROLES },
    disabled: false,
    passwordHash: { not: NO_PASSWORD },
    errlogFilter: '',
    id: { not: id },
  };
  return (await tx.prisma.user.findFirst({ where, select: { id: true } })) !== null;
}

/** Stores a user and returns the id; undefined where the name is taken. Needs {@link lockUsers}. */
export async function createUser(
  tx: Tx,
  user: { username: string; passwordHash: string; role: RoleName | typeof NO_ROLE; errlogFilter?: string },
  nowMs: number,
): Promise<number | undefined> {
  if (await isNameTaken(tx, user.username)) return undefined;
  const data = { ...user, nameKey: nameKey(user.username), createdMs: nowMs, modifiedMs: nowMs };
  return (await tx.prisma.user.create({ data, select: { id: true } })).id;
}

/** Stores the fields of a user that an administrator may change. */
export async function updateUser(
  tx: Tx,
  { id, username, nameKey: key, passwordHash, role, disabled, errlogFilter }: UserRow,
  nowMs: number,
): Promise<void> {
  await tx.prisma.user.updateMany({
    where: { id },
    data: { username, nameKey: key, passwordHash, role, disabled, errlogFilter, modifiedMs: nowMs },
  });
}

/** Stores a password. */
export async function setPassword(tx: Tx, id: number, passwordHash: string, nowMs: number): Promise<void> {
  await tx.prisma.user.updateMany({ where: { id }, data: { passwordHash, modifiedMs: nowMs } });
}

/** Deletes a user with their sessions, API tokens, recovery codes and known networks. */
export async function removeUser(tx: Tx, id: number): Promise<void> {
  await tx.prisma.user.deleteMany({ where: { id } });
}
