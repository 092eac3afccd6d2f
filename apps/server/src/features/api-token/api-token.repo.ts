// Queries about API tokens. Which tokens a caller may see is one condition, used by every query here.
import type { ApiToken, Slice, UserActor } from '@quarterdeck/core';
import { type Database, type Door, type SqlValue, statement } from '@quarterdeck/core/db';

interface TokenRow {
  readonly id: number;
  readonly name: string;
  readonly expire: number;
  readonly created_ms: number;
  readonly modified_ms: number;
  readonly uid: number;
  readonly username: string;
  readonly token_tail: string;
}

const COLUMNS =
  't.id, t.name, t.expire_ms AS expire, t.created_ms, t.modified_ms, t.user_id AS uid, u.username, t.token_tail';
const FROM = 'FROM api_token t JOIN "user" u ON u.id = t.user_id';

const GET_OWN = statement(`SELECT ${COLUMNS} ${FROM} WHERE t.id = ? AND t.user_id = ?`);
const GET_ANY = statement(`SELECT ${COLUMNS} ${FROM} WHERE t.id = ?`);
const LIST_OWN = statement(
  `SELECT ${COLUMNS} ${FROM} WHERE t.user_id = ? ORDER BY t.created_ms DESC, t.id DESC LIMIT ? OFFSET ?`,
);
const LIST_ANY = statement(`SELECT ${COLUMNS} ${FROM} ORDER BY t.created_ms DESC, t.id DESC LIMIT ? OFFSET ?`);
const COUNT_OWN = statement('SELECT count(*) AS n FROM api_token WHERE user_id = ?');
const COUNT_ANY = statement('SELECT count(*) AS n FROM api_token');

const seesAll = (actor: UserActor) => actor.permissions.includes('api_token:manage');
const owner = (actor: UserActor): SqlValue[] => (seesAll(actor) ? [] : [actor.userId]);
const visible = (actor: UserActor) => (seesAll(actor) ? {} : { userId: actor.userId });

/** A row as the wire has it. `detail` adds what the specification does not have. */
function toApiToken(row: TokenRow, detail: number): ApiToken {
  const token: ApiToken = {
    id: row.id,
    name: row.name,
    expire: row.expire,
    _created_unix: row.created_ms / 1000,
    _modified_unix: row.modified_ms / 1000,
  };
  return detail === 1 ? { ...token, uid: row.uid, username: row.username, token_tail: row.token_tail } : token;
}

/** The tokens a caller may see, newest first, and how many they are. */
export async function listTokens(db: Database, actor: UserActor, slice: Slice, detail: number) {
  const all = seesAll(actor);
  const count = await db.read.sql.get<{ n: number }>(all ? COUNT_ANY : COUNT_OWN, ...owner(actor));
  const rows =
    slice.limit === 0
      ? []
      : await db.read.sql.all<TokenRow>(all ? LIST_ANY : LIST_OWN, ...owner(actor), slice.limit, slice.offset);
  return { data: rows.map((row) => toApiToken(row, detail)), meta: { count: count?.n ?? 0 } };
}

/** One token; undefined where there is none or the caller may not see it. */
export async function findToken(db: Database, actor: UserActor, id: number, detail: number) {
  const row = await db.read.sql.get<TokenRow>(seesAll(actor) ? GET_ANY : GET_OWN, id, ...owner(actor));
  return row && toApiToken(row, detail);
}

/** A token to be stored. */
export interface NewTokenRow {
  readonly userId: number;
  readonly name: string;
  readonly expireMs: number;
  readonly tokenHash: Uint8Array<ArrayBuffer>;
  readonly tokenTail: string;
}

/** Stores a token; returns its id. */
export async function createToken(tx: Door, token: NewTokenRow, nowMs: number): Promise<number> {
  const times = { createdMs: BigInt(nowMs), modifiedMs: BigInt(nowMs) };
  const row = await tx.prisma.apiToken.create({
    data: { ...token, expireMs: BigInt(token.expireMs), ...times },
    select: { id: true },
  });
  return row.id;
}

/** Changes a token the caller may see; false where there is none. */
export async function updateToken(
  tx: Door,
  actor: UserActor,
  id: number,
  change: { name?: string | undefined; expire?: number | undefined },
  nowMs: number,
): Promise<boolean> {
  const { count } = await tx.prisma.apiToken.updateMany({
    where: { id, ...visible(actor) },
    data: {
      ...(change.name === undefined ? {} : { name: change.name }),
      ...(change.expire === undefined ? {} : { expireMs: BigInt(change.expire) }),
      modifiedMs: BigInt(nowMs),
    },
  });
  return count > 0;
}

/** Deletes a token the caller may see; false where there is none. */
export async function removeToken(tx: Door, actor: UserActor, id: number): Promise<boolean> {
  const { count } = await tx.prisma.apiToken.deleteMany({ where: { id, ...visible(actor) } });
  return count > 0;
}
