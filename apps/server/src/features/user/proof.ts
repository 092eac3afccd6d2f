// Proof of who somebody is: the password and, where it is on, the second factor. A sign-in needs it, and so does the
// confirmation of a session.
import { AppError, type Confirmation } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import type { Attempt, Throttle } from '../../auth/throttle.ts';
import type { Deps } from '../../deps.ts';
import { type CodeResult, spendCode } from './codes.ts';
import type { Claim, FailureReason, GuardedPassword } from './guarded-password.ts';
import { hasSecondFactor, holdUser, isSameProof, isUsable, type UserRow } from './user.repo.ts';

/** The second factor of a proof. */
export type UsedFactor = 'none' | Extract<CodeResult, { used: unknown }>['used'];

type Verdict = { readonly used: UsedFactor } | { readonly refused: FailureReason };

/**
 * Checks a proof, and runs `accept` in the write that settles it.
 *
 * @throws AppError `login_failed`, `otp_required`, `too_many_requests` or `overloaded`
 */
export type Prove = <T>(
  claim: Claim,
  proof: Pick<Confirmation, 'password' | 'otp'>,
  accept: (tx: Tx, user: UserRow, used: UsedFactor) => Promise<T>,
) => Promise<T>;

/** Makes {@link Prove}. */
export function createProve(deps: Deps, throttle: Throttle, guard: GuardedPassword): Prove {
  const { db, key, audit, now } = deps;

  /** The right password alone is no proof: says so, and remembers that somebody has it. */
  async function askForCode(claim: Claim, user: UserRow, attempt: Attempt): Promise<never> {
    await db.write(async (tx) => {
      await throttle.giveBack(tx, attempt);
      await audit.record(tx, {
        action: 'user.login_otp_required',
        actor: null,
        request: claim.request,
        target: { kind: 'user', id: user.id },
        detail: { username: user.username, purpose: claim.purpose },
      });
    });
    throw new AppError('otp_required');
  }

  /**
   * The last word, inside the write that accepts the proof: much may have happened while the password was computed, and
   * no session may outlive what it was made with.
   */
  async function judge(tx: Tx, user: UserRow, still: UserRow | undefined, code: string | undefined): Promise<Verdict> {
    if (still === undefined || !isUsable(still) || !isSameProof(still, user)) return { refused: 'changed_meanwhile' };
    return code === undefined ? { used: 'none' } : spendCode(tx, key, still, code, now());
  }

  return async (claim, { password, otp }, accept) => {
    const { user, attempt } = await guard.check(claim, password);
    const code = hasSecondFactor(user) ? (otp ?? undefined) : undefined;
    if (hasSecondFactor(user) && code === undefined) return askForCode(claim, user, attempt);
    let codeAttempt: Attempt = [];
    try {
      if (hasSecondFactor(user)) codeAttempt = await guard.reserveCode(user, claim);
    } catch (error) {
      await db.write((tx) => throttle.giveBack(tx, attempt));
      throw error;
    }
    const outcome = await db.write(async (tx) => {
      const verdict = await judge(tx, user, await holdUser(tx, user.id), code);
      if ('refused' in verdict) {
        await throttle.giveBack(tx, attempt);
        await throttle.fail(tx, codeAttempt);
        await guard.recordFailure(tx, claim, verdict.refused);
        return undefined;
      }
      await throttle.succeed(tx, [...attempt, ...codeAttempt]);
      return { accepted: await accept(tx, user, verdict.used) };
    });
    if (outcome === undefined) throw new AppError('login_failed');
    return outcome.accepted;
  };
}
