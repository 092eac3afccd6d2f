// Endpoints that set up and turn off the caller's second factor. It counts once a code has confirmed it.
import { AppError, type contract, type Service } from '@quarterdeck/core';
import { describeSeed, newRecoveryCodes, newSeed, normaliseRecoveryCode } from '../../auth/second-factor.ts';
import type { Throttle } from '../../auth/throttle.ts';
import type { CallContext } from '../call-context.ts';
import type { UserNeeds } from './needs.ts';
import { reauthRequest } from './own-account.ts';
import type { FailureReason, PasswordCheck } from './password-check.ts';
import { beginSecondFactor, clearSecondFactor, confirmSecondFactor, storeRecoveryCodes } from './second-factor.repo.ts';
import { consumeCode, findStep, seedContext } from './second-factor-codes.ts';
import { currentSession, removeSessions } from './session.repo.ts';
import { hasSameCredentials, hasSecondFactor, lockUser } from './user.repo.ts';

type OwnSecondFactor = Pick<
  Service<(typeof contract)['user'], CallContext>,
  'beginSecondFactor' | 'confirmSecondFactor' | 'removeSecondFactor'
>;

/** Result of a write about a second factor. */
type Outcome = 'done' | 'conflict' | { readonly refused: FailureReason };

const ALREADY_ON = 'The second factor is already on; turn it off first.';
const NOT_BEGUN = 'No second factor is being set up; begin first.';
const NOT_ON = 'The second factor is already off.';

/** Creates the endpoints. */
export function ownSecondFactor(deps: UserNeeds, throttle: Throttle, passwordCheck: PasswordCheck): OwnSecondFactor {
  const { db, key, audit, now } = deps;

  function settle(outcome: Outcome, conflict: string): undefined {
    if (outcome === 'done') return undefined;
    throw outcome === 'conflict' ? new AppError('conflict', { message: conflict }) : new AppError('login_failed');
  }

  return {
    async beginSecondFactor({ body, actor, request }) {
      const auth = await reauthRequest(deps, actor, request, 'second_factor_begin');
      if (auth.user !== undefined && hasSecondFactor(auth.user))
        throw new AppError('conflict', { message: ALREADY_ON });
      const user = await passwordCheck.confirm(auth, body.password);
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
      const auth = await reauthRequest(deps, actor, request, 'second_factor_confirm');
      const { user } = auth;
      if (user === undefined || user.totpSeed === null) throw new AppError('conflict', { message: NOT_BEGUN });
      if (hasSecondFactor(user)) throw new AppError('conflict', { message: ALREADY_ON });
      const codeAttempt = await passwordCheck.reserveCode(user, auth);
      const codes = newRecoveryCodes();
      const codeHashes = codes.map((code) => key.digest(normaliseRecoveryCode(code) ?? ''));
      const outcome = await db.write(async (tx): Promise<Outcome> => {
        const nowMs = now();
        const step = findStep(key, user, body.otp, nowMs);
        if (step === undefined) {
          await throttle.fail(tx, codeAttempt);
          await passwordCheck.recordFailure(tx, auth, 'otp');
          return { refused: 'otp' };
        }
        const confirmed = await confirmSecondFactor(tx, user, step, nowMs);
        await throttle.succeed(tx, codeAttempt);
        if (!confirmed) return 'conflict';
        await storeRecoveryCodes(tx, user.id, codeHashes);
        const ended = await removeSessions(tx, user.id, currentSession(actor));
        const target = { kind: 'user', id: user.id };
        await audit.record(tx, { action: 'user.second_factor_on', actor, request, target, detail: { ended } });
        return 'done';
      });
      settle(outcome, 'The second factor was changed in the meantime; begin again.');
      return { recovery_codes: codes };
    },

    async removeSecondFactor({ body, actor, request }) {
      const auth = await reauthRequest(deps, actor, request, 'second_factor_off');
      if (auth.user === undefined || !hasSecondFactor(auth.user)) throw new AppError('conflict', { message: NOT_ON });
      const user = await passwordCheck.confirm(auth, body.password);
      const codeAttempt = await passwordCheck.reserveCode(user, auth);
      const outcome = await db.write(async (tx): Promise<Outcome> => {
        const current = await lockUser(tx, user.id);
        if (current === undefined || !hasSameCredentials(current, user)) {
          // The code was not checked.
          await throttle.giveBack(tx, codeAttempt);
          return 'conflict';
        }
        const result = await consumeCode(tx, key, current, body.otp, now());
        if ('refused' in result) {
          await throttle.fail(tx, codeAttempt);
          await passwordCheck.recordFailure(tx, auth, result.refused);
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
