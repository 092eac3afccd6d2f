// Selects the expiring tokens. Pure.
import type { ApiToken } from '@quarterdeck/sdk';

/** Tokens that expire within so many days or have expired, the earliest first. */
export function expiringTokens(tokens: readonly ApiToken[], nowMs: number, days: number): ApiToken[] {
  const until = nowMs + days * 86_400_000;
  return tokens
    .filter(({ expire, state }) => expire !== 0 && expire <= until && state !== 'disabled')
    .sort((a, b) => a.expire - b.expire);
}
