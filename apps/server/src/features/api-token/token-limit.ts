// Limit of the API tokens of a user. Expired tokens do not count; disabled ones do, because they can be enabled.
import { AppError } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { lockUser } from '../user/user.repo.ts';
import { countUnexpired } from './api-token.repo.ts';

/** Maximum number of tokens of a user, and the time at which they are counted (Unix milliseconds). */
interface Limit {
  readonly max: number;
  readonly nowMs: number;
}

/**
 * Refuses a user who may not have one more token that has not expired.
 *
 * @throws AppError `token_limit_reached`
 */
export async function checkTokenLimit(tx: Tx, userId: number, { max, nowMs }: Limit): Promise<void> {
  if ((await countUnexpired(tx, userId, nowMs)) < max) return;
  throw new AppError('token_limit_reached', { detail: `At most ${max} API tokens that have not expired.` });
}

/**
 * Runs {@link checkTokenLimit} so that its result stays true until the end of the write.
 *
 * @throws AppError `token_limit_reached`
 */
export async function lockTokenLimit(tx: Tx, userId: number, limit: Limit): Promise<void> {
  await lockUser(tx, userId);
  await checkTokenLimit(tx, userId, limit);
}
