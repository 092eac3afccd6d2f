// Queries about API tokens. One condition says which tokens a caller may see; every query with a caller uses it.
import { joinedBegin, type Slice, type TokenKind, type UserActor } from '@quarterdeck/core';
import {
  type Database,
  type PrismaTypes,
  type SqlValue,
  type Statement,
  statement,
  type Tx,
} from '@quarterdeck/core/db';
import { selected } from '@quarterdeck/core/sql';
import { notePermissions } from '../../auth/require-permissions.ts';
import { OWNER_COLUMNS, TOKEN_COLUMNS, type TokenRow } from './api-token.view.ts';

// Reads of one token and of the list are hot: a page of 20 takes 16 microseconds on SQLite, 400 through Prisma. They
// are prepared (decision 031).
const SELECT =
  `SELECT ${selected(TOKEN_COLUMNS, 't.')}, ${selected(OWNER_COLUMNS, 'u.')} ` +
  'FROM api_token t JOIN "user" u ON u.id = t.user_id';
const NEWEST_FIRST = 'ORDER BY t.created_ms DESC, t.id DESC LIMIT ? OFFSET ?';

const SHORT = { isShort: true } as const;
const GET_OWN = statement(`${SELECT} WHERE t.id = ? AND t.user_id = ?`, SHORT);
const GET_ANY = statement(`${SELECT} WHERE t.id = ?`, SHORT);
const LIST_OWN = statement(`${SELECT} WHERE t.user_id = ? ${NEWEST_FIRST}`, SHORT);
const LIST_ANY = statement(`${SELECT} ${NEWEST_FIRST}`, SHORT);
const COUNT_OWN = statement('SELECT count(*) AS n FROM api_token WHERE user_id = ?', SHORT);
const COUNT_ANY = statement('SELECT count(*) AS n FROM api_token', SHORT);

/** Prisma cannot lock a row. SQLite has one writer anyway. */
const locking = ({ sqlite, postgresql }: Statement) =>
  statement({ sqlite, postgresql: `${postgresql} FOR UPDATE OF t` });
const LOCK_OWN = locking(GET_OWN);
const LOCK_ANY = locking(GET_ANY);

// A token with a filter of sources sees tokens with the same filter, and those that were made within it: names and
// filters of others tell of sources that it may not see.
const WITHIN = 't.user_id = ? AND (t.errlog_filter = ? OR substr(t.errlog_filter, 1, length(CAST(? AS text))) = ?)';
const GET_WITHIN = statement(`${SELECT} WHERE t.id = ? AND ${WITHIN}`, SHORT);
const LIST_WITHIN = statement(`${SELECT} WHERE ${WITHIN} ${NEWEST_FIRST}`, SHORT);
const COUNT_WITHIN = statement(`SELECT count(*) AS n FROM api_token t WHERE ${WITHIN}`, SHORT);
const LOCK_WITHIN = locking(GET_WITHIN);

/** Statements about the tokens that a caller may see, and the values of their condition. */
interface Seen {
  readonly get: Statement;
  readonly list: Statement;
  readonly count: Statement;
  readonly lock: Statement;
  readonly values: readonly SqlValue[];
}

function seenBy({ permissions, userId, credential: { errlogFilter } }: UserActor): Seen {
  if (permissions.includes('api_token:manage')) {
    return { get: GET_ANY, list: LIST_ANY, count: COUNT_ANY, lock: LOCK_ANY, values: [] };
  }
  if (errlogFilter === '') return { get: GET_OWN, list: LIST_OWN, count: COUNT_OWN, lock: LOCK_OWN, values: [userId] };
  const joined = joinedBegin(errlogFilter);
  const values = [userId, errlogFilter, joined, joined];
  return { get: GET_WITHIN, list: LIST_WITHIN, count: COUNT_WITHIN, lock: LOCK_WITHIN, values };
}

/** Lists the tokens that a caller may see, newest first, and counts them. */
export async function listTokens(db: Database, actor: UserActor, slice: Slice) {
  const { list, count: counting, values } = seenBy(actor);
  const { sql } = db.read;
  const [count, rows] = await Promise.all([
    sql.get<{ n: number }>(counting, ...values),
    slice.limit === 0 ? [] : sql.all<TokenRow>(list, ...values, slice.limit, slice.offset),
  ]);
  noteOthers(actor, rows);
  return { rows, count: count?.n ?? 0 };
}

/** Finds a token; undefined where there is none or the caller may not see it. */
export async function findToken(db: Database, actor: UserActor, id: number): Promise<TokenRow | undefined> {
  const { get, values } = seenBy(actor);
  const row = await db.read.sql.get<TokenRow>(get, id, ...values);
  if (row !== undefined) noteOthers(actor, [row]);
  return row;
}

/** Counts the permission to see tokens of others as used, where there are some among these. */
function noteOthers(actor: UserActor, rows: readonly TokenRow[]): void {
  if (rows.some(({ userId }) => userId !== actor.userId)) notePermissions(actor, ['api_token:manage']);
}

/** Finds the token of a request; undefined where it was deleted since. */
export const findOwnCredential = (tx: Tx, actor: UserActor): Promise<TokenRow | undefined> =>
  tx.sql.get<TokenRow>(GET_OWN, actor.credential.id, actor.userId);

/** Locks a token that the caller may see until the end of the write; undefined where there is none. */
export async function lockToken(tx: Tx, actor: UserActor, id: number): Promise<TokenRow | undefined> {
  const { lock, values } = seenBy(actor);
  const row = await tx.sql.get<TokenRow>(lock, id, ...values);
  if (row !== undefined) noteOthers(actor, [row]);
  return row;
}

/** Locks the token of a request until the end of the write; undefined where it was deleted since. */
export const lockOwnCredential = (tx: Tx, actor: UserActor): Promise<TokenRow | undefined> =>
  tx.sql.get<TokenRow>(LOCK_OWN, actor.credential.id, actor.userId);

/** A token to be stored. */
export interface NewTokenRow {
  readonly userId: number;
  readonly name: string;
  readonly expireMs: number;
  readonly tokenHash: Uint8Array<ArrayBuffer>;
  readonly tokenTail: string;
  readonly scopes: string;
  readonly allowedCidrs: string;
  readonly kind: TokenKind;
  readonly errlogFilter?: string;
  /** The trust rule that gives it; absent for a token that somebody makes. */
  readonly trustRuleId?: number;
}

/** Stores a token; returns its id. */
export async function createToken(tx: Tx, token: NewTokenRow, nowMs: number): Promise<number> {
  const data = { ...token, createdMs: nowMs, modifiedMs: nowMs };
  return (await tx.prisma.apiToken.create({ data, select: { id: true } })).id;
}

/** Changes the name and the expiry of a token. Needs {@link lockToken}, which returned `before`. */
export async function updateToken(
  tx: Tx,
  before: Pick<TokenRow, 'id' | 'expireMs'>,
  { name, expireMs }: Pick<TokenRow, 'name' | 'expireMs'>,
  nowMs: number,
): Promise<void> {
  const isExtended = expireMs === 0 || expireMs > before.expireMs;
  await tx.prisma.apiToken.updateMany({
    where: { id: before.id },
    // The owner is warned again before a later expiry.
    data: { name, expireMs, modifiedMs: nowMs, ...(isExtended ? { warnedDays: 0 } : {}) },
  });
}

/** Replaces the secret of a token; the old one works until `graceUntilMs`. Needs {@link lockToken}. */
export async function rotateToken(
  tx: Tx,
  id: number,
  secret: { readonly hash: Uint8Array<ArrayBuffer>; readonly tail: string; readonly graceUntilMs: number },
  nowMs: number,
): Promise<void> {
  const { tokenHash } = await tx.prisma.apiToken.findUniqueOrThrow({ where: { id }, select: { tokenHash: true } });
  await tx.prisma.apiToken.updateMany({
    where: { id },
    data: {
      previousHash: tokenHash,
      tokenHash: secret.hash,
      tokenTail: secret.tail,
      graceUntilMs: secret.graceUntilMs,
      modifiedMs: nowMs,
    },
  });
}

/** Sets the scopes of a token. Needs {@link lockToken}. */
export async function setScopes(tx: Tx, id: number, scopes: string, nowMs: number): Promise<void> {
  await tx.prisma.apiToken.updateMany({ where: { id }, data: { scopes, modifiedMs: nowMs } });
}

/** Disables or enables a token. */
export async function setTokenDisabled(tx: Tx, id: number, disabled: boolean, nowMs: number): Promise<void> {
  await tx.prisma.apiToken.updateMany({ where: { id }, data: { disabled, modifiedMs: nowMs } });
}

/** Deletes a token. */
export async function removeToken(tx: Tx, id: number): Promise<void> {
  await tx.prisma.apiToken.deleteMany({ where: { id } });
}

/** Finds the token of a secret; null where there is none. */
export const findTokenByHash = (tx: Tx, hashes: readonly Uint8Array<ArrayBuffer>[]) =>
  tx.prisma.apiToken.findFirst({
    where: { tokenHash: { in: [...hashes] } },
    select: { id: true, userId: true, name: true, scopes: true, allowedCidrs: true },
  });

/** True where a secret is that of a token before its last rotation. */
export async function isReplacedSecret(tx: Tx, hashes: readonly Uint8Array<ArrayBuffer>[]): Promise<boolean> {
  return (await tx.prisma.apiToken.count({ where: { previousHash: { in: [...hashes] } } })) > 0;
}

/** Changes the name and the limits of a token. */
export async function setTokenLimits(
  tx: Tx,
  id: number,
  { name, scopes, allowedCidrs }: Pick<NewTokenRow, 'name' | 'scopes' | 'allowedCidrs'>,
  nowMs: number,
): Promise<void> {
  await tx.prisma.apiToken.updateMany({ where: { id }, data: { name, scopes, allowedCidrs, modifiedMs: nowMs } });
}

/** A token that was found by a secret, or is about to expire. */
export interface NamedToken {
  readonly id: number;
  readonly name: string;
  readonly userId: number;
}

const NAMED = { id: true, name: true, userId: true } as const;

/** Reads the name and the owner of a token; null where it was deleted. */
export const findTokenName = (tx: Tx, id: number): Promise<NamedToken | null> =>
  tx.prisma.apiToken.findUnique({ where: { id }, select: NAMED });

/**
 * Condition: tokens of some secrets, also disabled and expired ones. A replaced secret matches within its grace alone:
 * later it may belong to somebody else, which may be why it was replaced.
 */
function bySecrets(hashes: readonly Uint8Array<ArrayBuffer>[], nowMs: number): PrismaTypes.ApiTokenWhereInput {
  const given = { in: [...hashes] };
  return { OR: [{ tokenHash: given }, { graceUntilMs: { gt: nowMs }, previousHash: given }] };
}

/** Counts the tokens of these secrets. */
export const countBySecrets = (tx: Tx, hashes: readonly Uint8Array<ArrayBuffer>[], nowMs: number): Promise<number> =>
  tx.prisma.apiToken.count({ where: bySecrets(hashes, nowMs) });

/** Deletes the tokens of these secrets; returns them. */
export async function removeBySecrets(
  tx: Tx,
  hashes: readonly Uint8Array<ArrayBuffer>[],
  nowMs: number,
): Promise<NamedToken[]> {
  const where = bySecrets(hashes, nowMs);
  const removed: NamedToken[] = [];
  for (const token of await tx.prisma.apiToken.findMany({ where, select: NAMED, orderBy: { id: 'asc' } })) {
    // The condition decides again: another write may have rotated or deleted the token since it was read.
    const { count } = await tx.prisma.apiToken.deleteMany({ where: { ...where, id: token.id } });
    if (count === 1) removed.push(token);
  }
  return removed;
}

/**
 * Marks up to `limit` tokens that expire within a time and whose owner was not warned so many days before; returns how
 * many were found, and those that this call marked. Of several servers, one marks each token.
 */
export async function markWarned(tx: Tx, days: number, fromMs: number, toMs: number, limit: number) {
  const where: PrismaTypes.ApiTokenWhereInput = {
    expireMs: { gt: fromMs, lte: toMs },
    disabled: false,
    OR: [{ warnedDays: 0 }, { warnedDays: { gt: days } }],
  };
  const found = await tx.prisma.apiToken.findMany({
    where,
    select: { id: true },
    orderBy: { expireMs: 'asc' },
    take: limit,
  });
  const marked = await tx.prisma.apiToken.updateManyAndReturn({
    where: { ...where, id: { in: found.map(({ id }) => id) } },
    data: { warnedDays: days },
    select: { ...NAMED, expireMs: true, lastUsedMs: true, lastAddress: true, lastClient: true },
  });
  return { found: found.length, marked };
}

/** Counts the tokens of a user that have not expired; those of trust rules have a limit of their own. */
export const countUnexpired = (tx: Tx, userId: number, nowMs: number): Promise<number> =>
  tx.prisma.apiToken.count({
    where: { userId, trustRuleId: null, OR: [{ expireMs: 0 }, { expireMs: { gt: nowMs } }] },
  });
