// What an API token may be issued with, who may change it, and how. Each rule returns or throws.
import { AppError, type FieldIssue, type Permission, type UserActor } from '@quarterdeck/core';
import { blocksWithin } from '../../net/address-blocks.ts';
import { isAbove } from '../user/user-rules.ts';
import type { TokenRow } from './api-token.view.ts';
import { readScopes } from './token-scopes.ts';

const DAY_MS = 86_400_000;

const refuse = (field: FieldIssue) =>
  new AppError('validation_failed', { message: `${field.path}: ${field.message}`, fields: [field] });

/**
 * An expiry lies in the future, and within what the installation allows.
 *
 * @throws AppError `validation_failed`
 */
export function checkExpire(expire: number, nowMs: number, maxDays: number | undefined): void {
  const path = 'body.expire';
  if (expire !== 0 && expire <= nowMs) throw refuse({ path, message: 'must be in the future, or 0 for never' });
  if (maxDays === undefined) return;
  const latestMs = nowMs + maxDays * DAY_MS;
  if (expire !== 0 && expire <= latestMs) return;
  const latest = `${new Date(latestMs).toISOString()} (${latestMs})`;
  throw refuse({ path, message: `must be set, and at most ${latest}: tokens last ${maxDays} days at most here` });
}

/**
 * An API token issues nothing that lasts longer than itself, and does not make anything last longer, itself included.
 * Where nothing is said it is as long. `asking` is the token the caller came with, if it was one.
 *
 * @throws AppError `validation_failed`
 */
export function expireFor(asking: TokenRow | undefined, wanted: number | null | undefined): number {
  const own = asking?.expireMs ?? 0;
  const expire = wanted ?? own;
  if (isWithin(expire, own)) return expire;
  const latest = `${new Date(own).toISOString()} (${own})`;
  throw refuse({ path: 'body.expire', message: `must be at most ${latest}, when this API token expires` });
}

/** Whether an expiry (0 = never) is not later than another one. */
const isWithin = (expire: number, other: number): boolean => other === 0 || (expire !== 0 && expire <= other);

/**
 * Scopes are within what the caller may do at this moment; where none are given they are those of the token that asks.
 *
 * @throws AppError `validation_failed`
 */
export function scopesFor(
  actor: UserActor,
  wanted: readonly Permission[] | null | undefined,
): readonly Permission[] | null {
  if (wanted === undefined || wanted === null) return actor.scopes;
  const beyond = wanted.filter((scope) => !actor.permissions.includes(scope));
  if (beyond.length === 0) return wanted;
  throw refuse({ path: 'body.scopes', message: `must not hold what you may not do yourself: ${beyond.join(', ')}` });
}

/**
 * Blocks of addresses are within those of the token that asks; where none are given they are the same.
 *
 * @throws AppError `validation_failed`
 */
export function blocksFor(asking: TokenRow | undefined, wanted: readonly string[] | null | undefined): string {
  const blocks = [...new Set(wanted ?? [])].join(' ');
  const own = asking?.allowedCidrs ?? '';
  if (blocks === '') return own;
  if (blocksWithin(blocks, own)) return blocks;
  throw refuse({ path: 'body.allowed_cidrs', message: `must lie within those of this API token: ${own}` });
}

/**
 * May this caller hold what this token can do? A change that gives a token away, renews it or keeps it going needs that
 * of the token as it is after the change; ending one does not.
 *
 * A session may hold whatever its user owns, and what people own whose role is not above. An API token may hold, besides,
 * nothing that can do more than itself, from more addresses or for longer. `asking` is the token the caller came with, if
 * it was one.
 *
 * @throws AppError `forbidden`, `scope_missing`
 */
export function checkMayHold(actor: UserActor, asking: TokenRow | undefined, token: Held): void {
  if (isAbove(token.role, actor.role)) {
    throw new AppError('forbidden', { message: `The owner's role, ${token.role}, is above yours, ${actor.role}.` });
  }
  if (asking === undefined) return;
  const beyond = beyondOf(asking, token);
  if (beyond === undefined) return;
  throw new AppError('scope_missing', { message: `That API token ${beyond} than the one of this request.` });
}

/** The fields of a token that decide who may hold it. */
type Held = Pick<TokenRow, 'role' | 'scopes' | 'allowedCidrs' | 'expireMs'>;

/** The way in which a token can do more than another one; undefined where it cannot. */
function beyondOf(asking: Held, token: Held): string | undefined {
  const [own, scopes] = [readScopes(asking.scopes), readScopes(token.scopes)];
  const isNarrow = own === null || (scopes?.every((scope) => own.includes(scope)) ?? false);
  if (!isNarrow) return 'can do more';
  if (!blocksWithin(token.allowedCidrs, asking.allowedCidrs)) return 'can be used from more addresses';
  return isWithin(token.expireMs, asking.expireMs) ? undefined : 'lasts longer';
}
