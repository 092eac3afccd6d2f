// Codes of the second factor, checked against a user and used up. Server time only.
import type { Tx } from '@quarterdeck/core/db';
import { isMomentCode, recoveryText, stepOfCode } from '../../auth/second-factor.ts';
import type { SecretKey } from '../../auth/secrets.ts';
import type { FailureReason } from './guarded-password.ts';
import { spendRecoveryCode, spendStep } from './second-factor.repo.ts';
import type { UserRow } from './user.repo.ts';

/** What the encryption of a user's seed is bound to. */
export const seedContext = (userId: number): string => `totp:${userId}`;

/** What came of a code. */
export type CodeResult =
  | { readonly used: 'totp' | 'recovery' }
  | { readonly refused: Extract<FailureReason, 'otp' | 'otp_replayed'> };

/**
 * Uses up a code of the moment or a recovery code of a user. Of many equal ones that come at the same time, one is used
 * and the others fail.
 */
export async function spendCode(
  tx: Tx,
  key: SecretKey,
  user: UserRow,
  code: string,
  nowMs: number,
): Promise<CodeResult> {
  if (!isMomentCode(code)) {
    const text = recoveryText(code);
    const used = text !== undefined && (await spendRecoveryCode(tx, user.id, key.digest(text)));
    return used ? { used: 'recovery' } : { refused: 'otp' };
  }
  const step = findStep(key, user, code, nowMs);
  if (step === undefined) return { refused: 'otp' };
  return (await spendStep(tx, user.id, step)) ? { used: 'totp' } : { refused: 'otp_replayed' };
}

/** The time step of a code of the moment; undefined where it is wrong, or there is no seed. */
export function findStep(key: SecretKey, user: UserRow, code: string, nowMs: number): number | undefined {
  if (user.totp_seed === null) return undefined;
  return stepOfCode(key.decrypt(user.totp_seed, seedContext(user.id)), code, nowMs);
}
