// Stores API tokens directly in the database, also those that the API would never issue.
import type { Permission } from '@quarterdeck/core';
import { newSecret } from '../src/auth/secrets.ts';
import { formatScopes } from '../src/auth/token-scopes.ts';
import type { TestApi } from './start-api.ts';

/** Fields of an API token that tests choose. */
interface TokenValues {
  readonly name?: string;
  readonly expireMs?: number;
  readonly scopes?: readonly Permission[];
  readonly disabled?: boolean;
  readonly allowedCidrs?: string;
}

/** Creates the functions that store tokens in the server of a test file. */
export function tokenStore(api: () => TestApi) {
  /** Stores API tokens of a user, in one write; returns their secrets. */
  async function storeTokens(userId: number, tokens: readonly TokenValues[]): Promise<string[]> {
    const { db, key } = api().server.deps;
    const times = { createdMs: BigInt(api().now()), modifiedMs: BigInt(api().now()) };
    const secrets = tokens.map(() => newSecret('api_token'));
    const data = tokens.map(({ expireMs = 0, scopes, ...rest }, i) => ({
      userId,
      name: '',
      tokenHash: new Uint8Array(key.digest(secrets[i] ?? '')),
      tokenTail: '',
      expireMs: BigInt(expireMs),
      scopes: formatScopes(scopes ?? null),
      ...times,
      ...rest,
    }));
    await db.write((tx) => tx.prisma.apiToken.createMany({ data }));
    return secrets;
  }

  const storeToken = async (userId: number, values: TokenValues = {}): Promise<string> =>
    (await storeTokens(userId, [values]))[0] ?? '';

  return { storeTokens, storeToken };
}
