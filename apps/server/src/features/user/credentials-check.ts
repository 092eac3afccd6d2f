// Checks the credentials of a user: the password and, where it is on, the second factor. A sign-in and the confirmation
// of a session need them.
import { AppError, type Confirmation } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import type { Attempt, Throttle } from '../../auth/throttle.ts';
import type { UserNeeds } from './needs.ts';
import type { AuthRequest, FailureReason, PasswordCheck } from './password-check.ts';
import { type CodeResult, consumeCode } from './second-factor-codes.ts';
import { hasSameCredentials, hasSecondFactor, isEnabled, lockUser, type UserRow } from './user.repo.ts';

/** Second factor that was used. */
export type UsedFactor = 'none' | Extract<CodeResult, { used: unknown }>['used'];

type Verdict = { readonly used: UsedFactor } | { readonly refused: FailureReason };

/**
 * Checks the credentials, and runs `accept` in the write that settles the attempt.
 *
 * @throws AppError `login_failed`, `otp_required`, `too_many_requests` or `overloaded`
 */
export type CheckCredentials = <T>(
  auth: AuthRequest,
  credentials: Pick<Confirmation, 'password' | 'otp'>,
  accept: (tx: Tx, user: UserRow, used: UsedFactor) => Promise<T>,
) => Promise<T>;

/** Creates a {@link CheckCredentials}. */
export function createCredentialsCheck(
  deps: UserNeeds,
  throttle: Throttle,
  passwordCheck: PasswordCheck,
): CheckCredentials {
  const { db, key, audit, now } = deps;

  /** Asks for the missing code, and records that somebody knows the password. */
  async function askForCode(auth: AuthRequest, user: UserRow, attempt: Attempt): Promise<never> {
    await db.write(async (tx) => {
      await throttle.giveBack(tx, attempt);
      await audit.record(tx, {
        action: 'user.login_otp_required',
        actor: null,
        request: auth.request,
        target: { kind: 'user', id: user.id },
        detail: { username: user.username, purpose: auth.purpose },
      });
    });
    throw new AppError('otp_required');
  }

  /**
   * Decides inside the write that accepts the credentials. They may have changed while the password was hashed, and no
   * session may outlive the credentials it was created with.
   */
  async function decide(tx: Tx, user: UserRow, code: string | undefined): Promise<Verdict> {
    const current = await lockUser(tx, user.id);
    if (current === undefined || !isEnabled(current) || !hasSameCredentials(current, user)) {
      return { refused: 'changed_meanwhile' };
    }
    return code === undefined ? { used: 'none' } : consumeCode(tx, key, current, code, now());
  }

  return async (auth, { password, otp }, accept) => {
    const { user, attempt } = await passwordCheck.check(auth, password);
    const code = hasSecondFactor(user) ? (otp ?? undefined) : undefined;
    if (hasSecondFactor(user) && code === undefined) return askForCode(auth, user, attempt);
    let codeAttempt: Attempt = [];
    try {
      if (hasSecondFactor(user)) codeAttempt = await passwordCheck.reserveCode(user, auth);
    } catch (error) {
      await db.write((tx) => throttle.giveBack(tx, attempt));
      throw error;
    }
    const outcome = await db.write(async (tx) => {
      const verdict = await decide(tx, user, code);
      if ('refused' in verdict) {
        await throttle.giveBack(tx, attempt);
        await throttle.fail(tx, codeAttempt);
        await passwordCheck.recordFailure(tx, auth, verdict.refused);
        return undefined;
      }
      await throttle.succeed(tx, [...attempt, ...codeAttempt]);
      return { accepted: await accept(tx, user, verdict.used) };
    });
    if (outcome === undefined) throw new AppError('login_failed');
    return outcome.accepted;
  };
}
