// Setting up one's own second factor, and turning it off. Nothing of it counts before it has been confirmed.
import { AppError, type contract, type Service } from '@quarterdeck/core';
import { describeSeed, newRecoveryCodes, newSeed, recoveryText } from '../../auth/second-factor.ts';
import type { Throttle } from '../../auth/throttle.ts';
import type { CallContext, Deps } from '../../deps.ts';
import { findStep, seedContext, spendCode } from './codes.ts';
import type { FailureReason, GuardedPassword } from './guarded-password.ts';
import { ownClaim } from './own-account.ts';
import { beginSecondFactor, clearSecondFactor, confirmSecondFactor, setRecoveryCodes } from './second-factor.repo.ts';
import { currentSession, removeSessions } from './session.repo.ts';
import { hasSecondFactor, holdUser, isSameProof } from './user.repo.ts';

type OwnSecondFactor = Pick<
  Service<(typeof contract)['user'], CallContext>,
  'beginSecondFactor' | 'confirmSecondFactor' | 'removeSecondFactor'
>;

/** What a write about a second factor came to. */
type Outcome = 'done' | 'conflict' | { readonly refused: FailureReason };

const ALREADY_ON = 'The second factor is on already; turn it off first.';
const NOT_BEGUN = 'No second factor has been begun.';
const NOT_ON = 'There is no second factor to turn off.';

export function ownSecondFactor(deps: Deps, throttle: Throttle, guard: GuardedPassword): OwnSecondFactor {
  const { db, key, audit, now } = deps;

  function settle(outcome: Outcome, conflict: string): undefined {
    if (outcome === 'done') return undefined;
    throw outcome === 'conflict' ? new AppError('conflict', { message: conflict }) : new AppError('login_failed');
  }

  return {
    async beginSecondFactor({ body, actor, request }) {
      const claim = await ownClaim(deps, actor, request, 'second_factor_begin');
      if (claim.user !== undefined && hasSecondFactor(claim.user))
        throw new AppError('conflict', { message: ALREADY_ON });
      const user = await guard.confirm(claim, body.password);
      const seed = newSeed();
      const stored = key.encrypt(seed, seedContext(user.id));
      const outcome = await db.write(async (tx): Promise<Outcome> => {
        if (!(await beginSecondFactor(tx, user.id, stored))) return 'conflict';
        const target = { kind: 'user', id: user.id };
        await audit.record(tx, { action: 'user.second_factor_begin', actor, request, target });
        return 'done';
      });
      settle(outcome, ALREADY_ON);
      return describeSeed(seed, user.username);
    },

    async confirmSecondFactor({ body, actor, request }) {
      const claim = await ownClaim(deps, actor, request, 'second_factor_confirm');
      const { user } = claim;
      if (user === undefined || user.totp_seed === null) throw new AppError('conflict', { message: NOT_BEGUN });
      if (hasSecondFactor(user)) throw new AppError('conflict', { message: ALREADY_ON });
      const codeAttempt = await guard.reserveCode(user, claim);
      const codes = newRecoveryCodes();
      const codeHashes = codes.map((code) => key.digest(recoveryText(code) ?? ''));
      const outcome = await db.write(async (tx): Promise<Outcome> => {
        const nowMs = now();
        const step = findStep(key, user, body.otp, nowMs);
        if (step === undefined) {
          await throttle.fail(tx, codeAttempt);
          await guard.recordFailure(tx, claim, 'otp');
          return { refused: 'otp' };
        }
        const confirmed = await confirmSecondFactor(tx, user, step, nowMs);
        await throttle.succeed(tx, codeAttempt);
        if (!confirmed) return 'conflict';
        await setRecoveryCodes(tx, user.id, codeHashes);
        const ended = await removeSessions(tx, user.id, currentSession(actor));
        const target = { kind: 'user', id: user.id };
        await audit.record(tx, { action: 'user.second_factor_on', actor, request, target, detail: { ended } });
        return 'done';
      });
      settle(outcome, 'The second factor was changed in the meantime; begin again.');
      return { recovery_codes: codes };
    },

    async removeSecondFactor({ body, actor, request }) {
      const claim = await ownClaim(deps, actor, request, 'second_factor_off');
      if (claim.user === undefined || !hasSecondFactor(claim.user)) throw new AppError('conflict', { message: NOT_ON });
      const user = await guard.confirm(claim, body.password);
      const codeAttempt = await guard.reserveCode(user, claim);
      const outcome = await db.write(async (tx): Promise<Outcome> => {
        const still = await holdUser(tx, user.id);
        if (still === undefined || !isSameProof(still, user)) {
          // The code was not looked at.
          await throttle.giveBack(tx, codeAttempt);
          return 'conflict';
        }
        const result = await spendCode(tx, key, still, body.otp, now());
        if ('refused' in result) {
          await throttle.fail(tx, codeAttempt);
          await guard.recordFailure(tx, claim, result.refused);
          return result;
        }
        await throttle.succeed(tx, codeAttempt);
        await clearSecondFactor(tx, user.id, now());
        const ended = await removeSessions(tx, user.id, currentSession(actor));
        const detail = { ended, second_factor: result.used };
        const target = { kind: 'user', id: user.id };
        await audit.record(tx, { action: 'user.second_factor_off', actor, request, target, detail });
        return 'done';
      });
      return settle(outcome, 'The account was changed in the meantime; try again.');
    },
  };
}
