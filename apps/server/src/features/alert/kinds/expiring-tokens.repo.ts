// Reads API tokens that expire within a span.
import { statement, type Tx } from '@quarterdeck/core/db';

/** A token that expires. Times are in Unix milliseconds. */
export interface ExpiringToken {
  readonly id: number;
  readonly name: string;
  readonly tail: string;
  readonly expireMs: number;
  readonly modifiedMs: number;
  readonly ownerId: number;
  readonly owner: string;
  /** 0 = never. */
  readonly lastUsedMs: number;
  readonly lastAddress: string;
  readonly lastClient: string;
}

/** Tokens at most. */
const COUNTED = 5_000;

// Tokens that are disabled, or whose owner is, do not work anyway.
const EXPIRING = statement(
  `SELECT t.id, t.name, t.token_tail AS tail, t.expire_ms AS "expireMs", t.modified_ms AS "modifiedMs",
     t.last_used_ms AS "lastUsedMs", t.last_address AS "lastAddress", t.last_client AS "lastClient",
     u.id AS "ownerId", u.username AS owner FROM api_token t JOIN "user" u ON u.id = t.user_id
   WHERE t.expire_ms > ? AND t.expire_ms <= ? AND NOT t.disabled AND NOT u.disabled ORDER BY t.expire_ms, t.id LIMIT ?`,
);

/** Reads the working tokens that expire after a time and not after another one, the first ones first. */
export const expiringTokens = ({ sql }: Tx, afterMs: number, untilMs: number): Promise<ExpiringToken[]> =>
  sql.all<ExpiringToken>(EXPIRING, afterMs, untilMs, COUNTED);
