// Bound on the API tokens of a user. Tokens that have expired do not count, disabled ones do: they can be enabled.
import { AppError } from '@quarterdeck/core';
import { type Dialect, statement, type Tx } from '@quarterdeck/core/db';

// Creations of one user follow each other, so that each counts the one before. On SQLite writes take turns anyway.
const HOLD_OWNER = statement('SELECT id FROM "user" WHERE id = ? FOR NO KEY UPDATE');
const COUNT_LIVE = statement(
  'SELECT count(*) AS n FROM api_token WHERE user_id = ? AND (expire_ms = 0 OR expire_ms > CAST(? AS bigint))',
);

/** Maximum of tokens of a user, and as of when they are counted (Unix milliseconds). */
interface Limit {
  readonly max: number;
  readonly nowMs: number;
}

/**
 * Refuses a user who may not have one more token that has not expired.
 *
 * @throws AppError `token_limit_reached`
 */
export async function checkTokenRoom({ sql }: Tx, userId: number, { max, nowMs }: Limit): Promise<void> {
  const live = await sql.get<{ n: number }>(COUNT_LIVE, userId, nowMs);
  if ((live?.n ?? 0) < max) return;
  throw new AppError('token_limit_reached', { detail: `At most ${max} API tokens that have not expired.` });
}

/**
 * {@link checkTokenRoom}, which stays true until the write ends.
 *
 * @throws AppError `token_limit_reached`
 */
export async function holdTokenRoom(tx: Tx, dialect: Dialect, userId: number, limit: Limit): Promise<void> {
  if (dialect === 'postgresql') await tx.sql.get(HOLD_OWNER, userId);
  await checkTokenRoom(tx, userId, limit);
}
