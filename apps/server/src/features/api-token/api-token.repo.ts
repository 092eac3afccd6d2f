// Queries about API tokens. Which tokens a caller may see is one condition, used by every query here that has a caller.
import type { Slice, UserActor } from '@quarterdeck/core';
import { type Database, type SqlValue, type Statement, statement, type Tx } from '@quarterdeck/core/db';
import type { TokenRow } from './api-token.view.ts';

const COLUMNS =
  't.id, t.name, t.expire_ms AS expire, t.created_ms, t.modified_ms, t.user_id AS uid, u.username, u.role, ' +
  't.token_tail, t.scopes, t.disabled, t.allowed_cidrs, t.last_used_ms, t.last_address, t.last_client, t.grace_until_ms';
const FROM = 'FROM api_token t JOIN "user" u ON u.id = t.user_id';
const NEWEST_FIRST = 'ORDER BY t.created_ms DESC, t.id DESC LIMIT ? OFFSET ?';

const GET_OWN = statement(`SELECT ${COLUMNS} ${FROM} WHERE t.id = ? AND t.user_id = ?`);
const GET_ANY = statement(`SELECT ${COLUMNS} ${FROM} WHERE t.id = ?`);
const LIST_OWN = statement(`SELECT ${COLUMNS} ${FROM} WHERE t.user_id = ? ${NEWEST_FIRST}`);
const LIST_ANY = statement(`SELECT ${COLUMNS} ${FROM} ${NEWEST_FIRST}`);
const COUNT_OWN = statement('SELECT count(*) AS n FROM api_token WHERE user_id = ?');
const COUNT_ANY = statement('SELECT count(*) AS n FROM api_token');

/** On SQLite writes take turns anyway. */
const locking = ({ sqlite, postgresql }: Statement) =>
  statement({ sqlite, postgresql: `${postgresql} FOR UPDATE OF t` });
const LOCK_OWN = locking(GET_OWN);
const LOCK_ANY = locking(GET_ANY);

const seesAll = (actor: UserActor) => actor.permissions.includes('api_token:manage');
const owner = (actor: UserActor): SqlValue[] => (seesAll(actor) ? [] : [actor.userId]);

/** The tokens a caller may see, newest first, and how many they are. */
export async function listTokens(db: Database, actor: UserActor, slice: Slice) {
  const all = seesAll(actor);
  const count = await db.read.sql.get<{ n: number }>(all ? COUNT_ANY : COUNT_OWN, ...owner(actor));
  const rows =
    slice.limit === 0
      ? []
      : await db.read.sql.all<TokenRow>(all ? LIST_ANY : LIST_OWN, ...owner(actor), slice.limit, slice.offset);
  return { rows, count: count?.n ?? 0 };
}

/** One token; undefined where there is none or the caller may not see it. */
export const findToken = (db: Database, actor: UserActor, id: number): Promise<TokenRow | undefined> =>
  db.read.sql.get<TokenRow>(seesAll(actor) ? GET_ANY : GET_OWN, id, ...owner(actor));

/** The token a caller came with; undefined where it has gone since. */
export const findOwnCredential = (door: Tx, actor: UserActor): Promise<TokenRow | undefined> =>
  door.sql.get<TokenRow>(GET_OWN, actor.credential.id, actor.userId);

/** One token the caller may see, as it stays until the write ends; undefined where there is none. */
export const lockToken = (tx: Tx, actor: UserActor, id: number): Promise<TokenRow | undefined> =>
  tx.sql.get<TokenRow>(seesAll(actor) ? LOCK_ANY : LOCK_OWN, id, ...owner(actor));

/** The token a caller came with, as it stays until the write ends; undefined where it has gone since. */
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
}

/** Stores a token; returns its id. */
export async function createToken(tx: Tx, token: NewTokenRow, nowMs: number): Promise<number> {
  const times = { createdMs: BigInt(nowMs), modifiedMs: BigInt(nowMs) };
  const row = await tx.prisma.apiToken.create({
    data: { ...token, expireMs: BigInt(token.expireMs), ...times },
    select: { id: true },
  });
  return row.id;
}

// An owner is warned anew of the end of a longer life.
const UPDATE = statement(
  `UPDATE api_token SET warned_days = CASE WHEN CAST(? AS bigint) = 0 OR ? > expire_ms THEN 0 ELSE warned_days END,
     name = ?, expire_ms = ?, modified_ms = ? WHERE id = ?`,
);
const ROTATE = statement(
  `UPDATE api_token SET previous_hash = token_hash, token_hash = ?, token_tail = ?, grace_until_ms = ?, modified_ms = ?
     WHERE id = ?`,
);
const SET_DISABLED = statement('UPDATE api_token SET disabled = ?, modified_ms = ? WHERE id = ?');
const REMOVE = statement('DELETE FROM api_token WHERE id = ?');

/** Changes a token. */
export const updateToken = (tx: Tx, id: number, { name, expire }: { name: string; expire: number }, nowMs: number) =>
  tx.sql.run(UPDATE, expire, expire, name, expire, nowMs, id);

/** Gives a token a new secret; the one before works until `graceUntilMs`. */
export const rotateToken = (
  tx: Tx,
  id: number,
  secret: { readonly hash: Uint8Array; readonly tail: string; readonly graceUntilMs: number },
  nowMs: number,
) => tx.sql.run(ROTATE, secret.hash, secret.tail, secret.graceUntilMs, nowMs, id);

/** Disables or enables a token. */
export const setTokenDisabled = (tx: Tx, id: number, disabled: boolean, nowMs: number) =>
  tx.sql.run(SET_DISABLED, disabled ? 1 : 0, nowMs, id);

/** Deletes a token. */
export const removeToken = (tx: Tx, id: number) => tx.sql.run(REMOVE, id);

const GET_BY_HASH = statement(`SELECT ${COLUMNS} ${FROM} WHERE t.token_hash = ?`);
const IS_REPLACED = statement('SELECT 1 AS yes FROM api_token WHERE previous_hash = ?');
const SET_LIMITS = statement(
  'UPDATE api_token SET name = ?, scopes = ?, allowed_cidrs = ?, modified_ms = ? WHERE id = ?',
);

/** The token of a secret; undefined where there is none. */
export const findTokenByHash = (door: Tx, tokenHash: Uint8Array): Promise<TokenRow | undefined> =>
  door.sql.get<TokenRow>(GET_BY_HASH, tokenHash);

/** Whether a secret is that of a token before its last rotation. */
export const isReplacedSecret = async (door: Tx, tokenHash: Uint8Array): Promise<boolean> =>
  (await door.sql.get(IS_REPLACED, tokenHash)) !== undefined;

/** Changes what a token is called and what it may be used for. */
export const setTokenLimits = (
  tx: Tx,
  id: number,
  { name, scopes, allowedCidrs }: Pick<NewTokenRow, 'name' | 'scopes' | 'allowedCidrs'>,
  nowMs: number,
) => tx.sql.run(SET_LIMITS, name, scopes, allowedCidrs, nowMs, id);

// Whoever has a secret that works, or would if its token were revived, may end the token. A secret that was replaced and
// works no more may not: it could have been replaced because somebody else has it.
const IN_HASHES = {
  sqlite: 'IN (SELECT unhex(value) FROM json_each(?))',
  // An array, because PostgreSQL would not use the index for a subquery behind an OR.
  postgresql: "= ANY(ARRAY(SELECT decode(hex, 'hex') FROM json_array_elements_text(CAST(? AS json)) AS given(hex)))",
};
const byHashes = (head: string, tail = '') =>
  statement(
    (dialect) =>
      `${head} FROM api_token WHERE token_hash ${IN_HASHES[dialect]} ` +
      `OR (grace_until_ms > ? AND previous_hash ${IN_HASHES[dialect]}) ${tail}`,
  );
const COUNT_BY_HASHES = byHashes('SELECT count(*) AS n');
const REMOVE_BY_HASHES = byHashes('DELETE', 'RETURNING id, name, user_id AS uid');

const hexList = (hashes: readonly Uint8Array[]) =>
  JSON.stringify(hashes.map((hash) => Buffer.from(hash).toString('hex')));

/** How many tokens these secrets belong to. */
export async function countBySecrets(door: Tx, hashes: readonly Uint8Array[], nowMs: number): Promise<number> {
  const list = hexList(hashes);
  return (await door.sql.get<{ n: number }>(COUNT_BY_HASHES, list, nowMs, list))?.n ?? 0;
}

/** Deletes the tokens these secrets belong to; returns which they were. */
export function removeBySecrets(tx: Tx, hashes: readonly Uint8Array[], nowMs: number) {
  const list = hexList(hashes);
  return tx.sql.all<{ id: number; name: string; uid: number }>(REMOVE_BY_HASHES, list, nowMs, list);
}

// Of several servers, the one whose statement changes the row tells.
const CLAIM_WARNINGS = statement(
  `UPDATE api_token SET warned_days = ? WHERE (warned_days = 0 OR warned_days > ?) AND id IN (
     SELECT id FROM api_token WHERE expire_ms > ? AND expire_ms <= ? AND NOT disabled
       AND (warned_days = 0 OR warned_days > ?) ORDER BY expire_ms LIMIT ?)
   RETURNING id, name, user_id AS uid, expire_ms AS expire`,
);

/** Marks up to `limit` tokens that expire within some days and whose owner has not been told so; returns them. */
export const claimWarnings = (tx: Tx, days: number, fromMs: number, toMs: number, limit: number) =>
  tx.sql.all<{ id: number; name: string; uid: number; expire: number }>(
    CLAIM_WARNINGS,
    ...[days, days, fromMs, toMs, days, limit],
  );
