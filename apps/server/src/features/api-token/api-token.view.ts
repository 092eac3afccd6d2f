// An API token on the wire.
import type { ApiToken, Permission, TokenState } from '@quarterdeck/core';
import type { ApiToken as TokenModel, User as UserModel } from '@quarterdeck/core/db';
import type { Columns } from '@quarterdeck/core/sql';
import { readScopes } from '../../auth/token-scopes.ts';

const DAY_MS = 86_400_000;
/** A token that expires within this time is about to expire. */
export const EXPIRING_MS = 7 * DAY_MS;

/** Columns of a token that are read: all but those that prove it. */
export const TOKEN_COLUMNS = [
  ...(['id', 'name', 'expireMs', 'createdMs', 'modifiedMs', 'userId', 'tokenTail', 'scopes', 'disabled'] as const),
  ...(['allowedCidrs', 'lastUsedMs', 'lastAddress', 'lastClient', 'graceUntilMs', 'kind', 'trustRuleId'] as const),
  ...(['errlogFilter', 'usesSinceMs'] as const),
];
export const OWNER_COLUMNS = ['username', 'role'] as const;

/** A token with its owner, as prepared statements return it. */
export type TokenRow = Columns<TokenModel, (typeof TOKEN_COLUMNS)[number]> &
  Columns<UserModel, (typeof OWNER_COLUMNS)[number]>;

/** Computes the state of a token at a moment. */
export function stateOf({ disabled, expireMs }: Pick<TokenRow, 'disabled' | 'expireMs'>, nowMs: number): TokenState {
  if (disabled === 1) return 'disabled';
  if (expireMs === 0) return 'active';
  if (expireMs <= nowMs) return 'expired';
  return expireMs - nowMs <= EXPIRING_MS ? 'expiring' : 'active';
}

/** Parses address blocks from the database: CIDR texts with spaces between. */
export const readBlocks = (text: string): string[] => (text === '' ? [] : text.split(' '));

/** Converts a token to the wire, with the fields of the specification alone. */
export const toApiToken = (row: TokenRow): ApiToken => ({
  id: row.id,
  name: row.name,
  expire: row.expireMs,
  _created_unix: row.createdMs / 1000,
  _modified_unix: row.modifiedMs / 1000,
});

/** Converts a token to the wire, with the fields that the specification does not have. */
export const toDetailedApiToken = (row: TokenRow, nowMs: number): ApiToken => ({
  ...toApiToken(row),
  uid: row.userId,
  username: row.username,
  ...(row.kind === 'sentry' ? { kind: row.kind } : {}),
  token_tail: row.tokenTail,
  state: stateOf(row, nowMs),
  scopes: readScopes(row.scopes) as Permission[] | null,
  allowed_cidrs: readBlocks(row.allowedCidrs),
  ...(row.errlogFilter !== '' && { errlog_filter: row.errlogFilter }),
  last_used: row.lastUsedMs === 0 ? null : row.lastUsedMs / 1000,
  last_address: row.lastAddress,
  last_client: row.lastClient,
  grace_until: row.graceUntilMs > nowMs ? row.graceUntilMs : 0,
});
