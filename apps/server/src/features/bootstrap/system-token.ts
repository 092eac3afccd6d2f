// API tokens that the server itself issues: for its command line and for the bootstrap file.
import type { Permission } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import type { SecretKey } from '../../auth/secrets.ts';
import { formatScopes } from '../../auth/token-scopes.ts';
import { createToken } from '../api-token/api-token.repo.ts';

/** Fields of a token that follow the bootstrap file. */
export interface TokenLimits {
  readonly name: string;
  /** null = all of the owner's. */
  readonly scopes: readonly Permission[] | null;
  /** Empty = any address. */
  readonly cidrs: readonly string[];
}

/** Fields of a new token. */
export interface TokenValues extends TokenLimits {
  /** Unix milliseconds, 0 = never. */
  readonly expireMs: number;
}

const TAIL_LENGTH = 4;

/** Converts the fields to columns. */
export const limitColumns = ({ name, scopes, cidrs }: TokenLimits) => ({
  name,
  scopes: formatScopes(scopes),
  allowedCidrs: [...new Set(cidrs)].join(' '),
});

/** Fields of a token for the audit log. */
export const limitDetail = ({ name, scopes, cidrs }: TokenLimits) => ({ name, scopes, allowed_cidrs: cidrs });

/** Fields of a new token for the audit log. */
export const tokenDetail = (uid: number, values: TokenValues) => ({
  after: { ...limitDetail(values), expire: values.expireMs, uid },
});

/** Stores a token; returns its id. */
export function issueToken(
  tx: Tx,
  key: SecretKey,
  userId: number,
  secret: string,
  values: TokenValues,
  nowMs: number,
): Promise<number> {
  const hashed = { tokenHash: key.digest(secret), tokenTail: secret.slice(-TAIL_LENGTH) };
  const row = { userId, ...limitColumns(values), ...hashed, expireMs: values.expireMs, kind: 'api' as const };
  return createToken(tx, row, nowMs);
}
