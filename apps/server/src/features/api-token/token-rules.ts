// Rules about issuing and changing API tokens. Each rule returns or throws.
import {
  AppError,
  bothSourceFilters,
  invalidField,
  isWithinSourceFilter,
  type Permission,
  type TokenKind,
  type UserActor,
} from '@quarterdeck/core';
import { blocksWithin } from '@quarterdeck/core/addresses';
import { notePermissions } from '../../auth/require-permissions.ts';
import { readScopes } from '../../auth/token-scopes.ts';
import { isAbove } from '../user/user-rules.ts';
import type { TokenRow } from './api-token.view.ts';

const DAY_MS = 86_400_000;

/**
 * Refuses an expiry in the past, or later than the installation allows.
 *
 * @throws AppError `validation_failed`
 */
export function checkExpire(expire: number, nowMs: number, maxDays: number | undefined): void {
  const path = 'body.expire';
  if (expire !== 0 && expire <= nowMs) throw invalidField(path, 'must be in the future, or 0 for never');
  if (maxDays === undefined) return;
  const latestMs = nowMs + maxDays * DAY_MS;
  if (expire !== 0 && expire <= latestMs) return;
  const latest = `${new Date(latestMs).toISOString()} (${latestMs})`;
  throw invalidField(path, `must be set, and at most ${latest}: this installation limits tokens to ${maxDays} days`);
}

/**
 * Returns the expiry of a token; by default that of the request's token. An API token neither issues nor extends a
 * token beyond its own expiry, itself included. `asking` is the token of the request; undefined for a session.
 *
 * @throws AppError `validation_failed`
 */
export function expireFor(asking: TokenRow | undefined, wanted: number | null | undefined): number {
  const own = asking?.expireMs ?? 0;
  const expire = wanted ?? own;
  if (isWithin(expire, own)) return expire;
  const latest = `${new Date(own).toISOString()} (${own})`;
  throw invalidField('body.expire', `must be at most ${latest}, when this API token expires`);
}

/**
 * Refuses a later expiry of a token that a trust rule gave: it lasts an hour at most.
 *
 * @throws AppError `validation_failed`
 */
export function checkNotExtended(before: number, after: number): void {
  if (!isWithin(after, before)) throw invalidField('body.expire', 'must not be later: a trust rule gave this token');
}

/** True where an expiry (0 = never) is not later than another one. */
const isWithin = (expire: number, other: number): boolean => other === 0 || (expire !== 0 && expire <= other);

/**
 * Returns the scopes of a token, which must lie within the caller's permissions; by default those of the request.
 *
 * @throws AppError `validation_failed`
 */
export function scopesFor(
  actor: UserActor,
  wanted: readonly Permission[] | null | undefined,
): readonly Permission[] | null {
  if (wanted === undefined || wanted === null) return actor.scopes;
  const beyond = wanted.filter((scope) => !actor.permissions.includes(scope));
  if (beyond.length === 0) {
    notePermissions(actor, wanted);
    return wanted;
  }
  throw invalidField('body.scopes', `must not exceed your own permissions: ${beyond.join(', ')}`);
}

/** The scopes of a key of Sentry. */
const SENTRY_SCOPES: readonly Permission[] = ['errlog:write'];

/**
 * Returns the scopes that a token of a kind is to have: a key of Sentry has one, whatever its issuer may do.
 *
 * @throws AppError `validation_failed` for other scopes of a key of Sentry
 */
export function scopesOfKind(
  kind: TokenKind,
  wanted: readonly Permission[] | null | undefined,
): readonly Permission[] | null | undefined {
  if (kind === 'api') return wanted;
  if (wanted?.every((scope) => SENTRY_SCOPES.includes(scope)) ?? true) return SENTRY_SCOPES;
  throw invalidField('body.scopes', 'must be errlog:write or absent for a key of Sentry');
}

/**
 * Returns the address blocks of a token, which must lie within those of the request's token; by default the same ones.
 *
 * @throws AppError `validation_failed`
 */
export function blocksFor(asking: TokenRow | undefined, wanted: readonly string[] | null | undefined): string {
  const blocks = [...new Set(wanted ?? [])].join(' ');
  const own = asking?.allowedCidrs ?? '';
  if (blocks === '') return own;
  if (blocksWithin(blocks, own)) return blocks;
  throw invalidField('body.allowed_cidrs', `must lie within the addresses of this API token: ${own}`);
}

/**
 * Returns the filter of sources of a token: what the request asks for, within the filter of the request's token. The
 * filter of the owner holds besides, whatever it is at the time of a request.
 */
export const sourcesFor = (asking: TokenRow | undefined, wanted: string | null | undefined): string =>
  bothSourceFilters(asking?.errlogFilter ?? '', wanted?.trim() ?? '');

/**
 * Refuses a caller who must not control a token. A change that reveals, extends or enables a token checks the token as
 * it is after the change; disabling and deleting check nothing.
 *
 * A session controls the tokens of its user, and those of users whose role is not above. An API token controls of these
 * only tokens with no more permissions, addresses, sources and time than itself. `asking` is the token of the request;
 * undefined for a session.
 *
 * @throws AppError `forbidden`, `scope_missing`
 */
export function checkMayControl(actor: UserActor, asking: TokenRow | undefined, token: Controlled): void {
  if (isAbove(token.role, actor.role)) {
    throw new AppError('forbidden', { message: `The owner's role, ${token.role}, is above your role, ${actor.role}.` });
  }
  if (asking === undefined) return;
  const beyond = beyondOf(asking, token);
  if (beyond === undefined) return;
  throw new AppError('scope_missing', { message: `That API token ${beyond} than the token of this request.` });
}

/** Fields of a token that decide who may control it. */
type Controlled = Pick<TokenRow, 'role' | 'scopes' | 'allowedCidrs' | 'errlogFilter' | 'expireMs'>;

/** Describes how a token can do more than another one; undefined where it cannot. */
function beyondOf(asking: Controlled, token: Controlled): string | undefined {
  const [own, scopes] = [readScopes(asking.scopes), readScopes(token.scopes)];
  const isNarrow = own === null || (scopes?.every((scope) => own.includes(scope)) ?? false);
  if (!isNarrow) return 'has more permissions';
  if (!blocksWithin(token.allowedCidrs, asking.allowedCidrs)) return 'has more addresses';
  if (!isWithinSourceFilter(token.errlogFilter, asking.errlogFilter)) return 'sees more sources';
  return isWithin(token.expireMs, asking.expireMs) ? undefined : 'lasts longer';
}
