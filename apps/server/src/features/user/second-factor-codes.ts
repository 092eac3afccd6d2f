// Checks codes of the second factor against a user, and uses them up. Only the server's clock counts.
import type { Tx } from '@quarterdeck/core/db';
import { isTotpCode, normaliseRecoveryCode, stepOfCode } from '../../auth/second-factor.ts';
import type { SecretKey } from '../../auth/secrets.ts';
import type { FailureReason } from './password-check.ts';
import { consumeRecoveryCode, consumeTotpStep } from './second-factor.repo.ts';
import type { UserRow } from './user.repo.ts';

/** Context to which the encryption of a user's seed is bound. */
export const seedContext = (userId: number): string => `totp:${userId}`;

/** Result of using a code. */
export type CodeResult =
  | { readonly used: 'totp' | 'recovery' }
  | { readonly refused: Extract<FailureReason, 'otp' | 'otp_replayed'> };

/** Uses up a TOTP code or a recovery code of a user. Of equal codes that arrive at the same time, one is accepted. */
export async function consumeCode(
  tx: Tx,
  key: SecretKey,
  user: UserRow,
  code: string,
  nowMs: number,
): Promise<CodeResult> {
  if (!isTotpCode(code)) {
    const text = normaliseRecoveryCode(code);
    const used = text !== undefined && (await consumeRecoveryCode(tx, user.id, key.digests(text)));
    return used ? { used: 'recovery' } : { refused: 'otp' };
  }
  const step = findStep(key, user, code, nowMs);
  if (step === undefined) return { refused: 'otp' };
  return (await consumeTotpStep(tx, user.id, step)) ? { used: 'totp' } : { refused: 'otp_replayed' };
}

/** Finds the time step of a TOTP code; undefined where the code is wrong or the user has no seed. */
export function findStep(key: SecretKey, user: UserRow, code: string, nowMs: number): number | undefined {
  if (user.totpSeed === null) return undefined;
  return stepOfCode(key.decrypt(user.totpSeed, seedContext(user.id)), code, nowMs);
}
