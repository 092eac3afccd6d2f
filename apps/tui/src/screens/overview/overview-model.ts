// What the overview tells, made from what the lists know. Pure.
import type { ApiToken } from '@quarterdeck/sdk';

/** Tokens that end within so many days, the next one first; expired ones too. */
export function endingTokens(tokens: readonly ApiToken[], nowMs: number, days: number): ApiToken[] {
  const until = nowMs + days * 86_400_000;
  return tokens
    .filter(({ expire, state }) => expire !== 0 && expire <= until && state !== 'disabled')
    .sort((a, b) => a.expire - b.expire);
}
