// An API token as the wire has it.
import type { ApiToken, Permission, TokenState } from '@quarterdeck/core';
import { readScopes } from './token-scopes.ts';

const DAY_MS = 86_400_000;
/** A token that expires sooner than this is about to. */
const EXPIRING_MS = 7 * DAY_MS;

/** A token as the database has it, without what proves it. */
export interface TokenRow {
  readonly id: number;
  readonly name: string;
  readonly expire: number;
  readonly created_ms: number;
  readonly modified_ms: number;
  readonly uid: number;
  readonly username: string;
  readonly role: string;
  readonly token_tail: string;
  readonly scopes: string;
  readonly disabled: number;
  readonly allowed_cidrs: string;
  readonly last_used_ms: number;
  readonly last_address: string;
  readonly last_client: string;
  readonly grace_until_ms: number;
}

/** What a token is at a moment. */
export function stateOf({ disabled, expire }: Pick<TokenRow, 'disabled' | 'expire'>, nowMs: number): TokenState {
  if (disabled === 1) return 'disabled';
  if (expire === 0) return 'active';
  if (expire <= nowMs) return 'expired';
  return expire - nowMs <= EXPIRING_MS ? 'expiring' : 'active';
}

/** Blocks of addresses, as the database has them. */
export const readBlocks = (text: string): string[] => (text === '' ? [] : text.split(' '));

/** The fields of the specification, and no others. */
export const toApiToken = (row: TokenRow): ApiToken => ({
  id: row.id,
  name: row.name,
  expire: row.expire,
  _created_unix: row.created_ms / 1000,
  _modified_unix: row.modified_ms / 1000,
});

/** With everything the specification does not have. */
export const toDetailedApiToken = (row: TokenRow, nowMs: number): ApiToken => ({
  ...toApiToken(row),
  uid: row.uid,
  username: row.username,
  token_tail: row.token_tail,
  state: stateOf(row, nowMs),
  scopes: readScopes(row.scopes) as Permission[] | null,
  allowed_cidrs: readBlocks(row.allowed_cidrs),
  last_used: row.last_used_ms === 0 ? null : row.last_used_ms / 1000,
  last_address: row.last_address,
  last_client: row.last_client,
  grace_until: row.grace_until_ms > nowMs ? row.grace_until_ms : 0,
});
