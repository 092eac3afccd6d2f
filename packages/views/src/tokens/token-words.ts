// API tokens in words. Pure.
import type { ApiToken, Me } from '@quarterdeck/sdk';
import { clean } from '../text/clean.ts';

/** The cleaned name of a token, or `(no name)`. */
export const tokenName = ({ name }: Pick<ApiToken, 'name'>): string => clean(name) || '(no name)';

/** True for the token that this dashboard uses. */
export const isInUse = (token: Pick<ApiToken, 'id'>, me: Me): boolean =>
  me.credential.kind === 'api_token' && me.credential.id === token.id;

/** The state of a token in a word. */
export function tokenState({ state, expire }: ApiToken, nowMs: number): 'active' | 'expiring' | 'expired' | 'disabled' {
  if (state === 'disabled') return state;
  // The token may have expired since the answer.
  if (expire !== 0 && expire <= nowMs) return 'expired';
  return state ?? 'active';
}
