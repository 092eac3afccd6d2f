// The only code that checks a password. Each attempt is counted before it is checked, costs the same work for every
// username, and is recorded in the audit log when it fails.
import { AppError } from '@quarterdeck/core';
import { networkOf } from '@quarterdeck/core/addresses';
import type { Tx } from '@quarterdeck/core/db';
import { ACCOUNT, ADDRESS, type Attempt, type Charge, SECOND_FACTOR, type Throttle } from '../../auth/throttle.ts';
import { accountKey, addressKey, otpKey, pairKey } from '../../auth/throttle-keys.ts';
import type { CallContext } from '../call-context.ts';
import type { BlockedAttempts } from './blocked-attempts.ts';
import type { UserNeeds } from './needs.ts';
import { isEnabled, isManager, NO_PASSWORD, type UserRow } from './user.repo.ts';

/** Request of somebody who says that they are a user. */
export interface AuthRequest {
  readonly username: string;
  /** User of that name; undefined where there is none. */
  readonly user: UserRow | undefined;
  /** The user has lately signed in from the network of the request. */
  readonly known: boolean;
  readonly request: CallContext['request'];
  /** Action that needs the password: `sign_in`, `password_change`, ... */
  readonly purpose: string;
}

/** Why an attempt failed; for the audit log, never for the caller. */
export type FailureReason =
  | 'unknown_user'
  | 'disabled'
  | 'password'
  | 'password_off'
  | 'otp'
  | 'otp_replayed'
  | 'changed_meanwhile';

/**
 * Counters of a password attempt. A known network has a counter of its own, so attempts from elsewhere cannot lock the
 * user out there.
 */
function passwordCharges({ username, known, request }: AuthRequest): Charge[] {
  const network = networkOf(request.address);
  if (known) return [{ key: pairKey(username, network), budget: ACCOUNT, onSuccess: 'reset' }];
  return [
    { key: accountKey(username), budget: ACCOUNT, onSuccess: 'give_back' },
    { key: addressKey(network), budget: ADDRESS, onSuccess: 'give_back' },
  ];
}

function codeCharges(user: UserRow, { known, request }: Pick<AuthRequest, 'known' | 'request'>): Charge[] {
  const key = otpKey(user.id, known ? networkOf(request.address) : undefined);
  return [{ key, budget: SECOND_FACTOR, onSuccess: 'reset' }];
}

/** Checks passwords, and counts attempts at codes. */
export interface PasswordCheck {
  /**
   * Resolves where the password is right. The caller then settles the attempt with the throttle, in the write that acts
   * on it.
   *
   * @throws AppError `login_failed`, `too_many_requests` or `overloaded`
   */
  check(auth: AuthRequest, password: string): Promise<{ user: UserRow; attempt: Attempt }>;
  /** Checks the password of a signed-in user and settles the attempt. */
  confirm(auth: AuthRequest, password: string): Promise<UserRow>;
  /** Counts an attempt at a code of the second factor. Call it before checking the code. */
  reserveCode(user: UserRow, auth: Pick<AuthRequest, 'known' | 'request' | 'purpose'>): Promise<Attempt>;
  /** Records a failed attempt in the audit log. */
  recordFailure(tx: Tx, auth: Pick<AuthRequest, 'user' | 'request' | 'purpose'>, reason: FailureReason): Promise<void>;
}

/** Creates a {@link PasswordCheck}. */
export function createPasswordCheck(deps: UserNeeds, throttle: Throttle, blocked: BlockedAttempts): PasswordCheck {
  const { db, passwords, audit, passwordLogin } = deps;

  /** True where a password may prove that somebody is this user. */
  const takesPassword = (user: UserRow): boolean =>
    user.passwordHash !== NO_PASSWORD && (passwordLogin === 'all' || isManager(user.role));

  /** Counts an attempt before it is checked; notes it where the throttle refuses. */
  async function reserve(charges: readonly Charge[], auth: Parameters<BlockedAttempts['note']>[0]): Promise<Attempt> {
    try {
      return await throttle.reserve(charges);
    } catch (error) {
      if (error instanceof AppError && error.code === 'too_many_requests') blocked.note(auth);
      throw error;
    }
  }

  const recordFailure: PasswordCheck['recordFailure'] = (tx, { user, request, purpose }, reason) =>
    audit.record(tx, {
      action: 'user.login_failed',
      actor: null,
      request,
      // An unknown name is left out: it may be a password, typed into the wrong field.
      ...(user === undefined ? {} : { target: { kind: 'user', id: user.id } }),
      detail: { reason, purpose, ...(user === undefined ? {} : { username: user.username }) },
    });

  const check: PasswordCheck['check'] = async (auth, password) => {
    const { user } = auth;
    const enabled = user !== undefined && isEnabled(user) && takesPassword(user) ? user : undefined;
    const attempt = await reserve(passwordCharges(auth), auth);
    let isRight: boolean;
    try {
      isRight = await passwords.verify(enabled?.passwordHash, password);
    } catch (error) {
      // The server was too busy to check the password.
      await db.write((tx) => throttle.giveBack(tx, attempt));
      throw error;
    }
    if (enabled !== undefined && isRight) return { user: enabled, attempt };
    await db.write(async (tx) => {
      await throttle.fail(tx, attempt);
      const reason =
        user !== undefined && isEnabled(user) && !takesPassword(user) ? 'password_off' : passwordFailure(user);
      await recordFailure(tx, auth, reason);
    });
    throw new AppError('login_failed');
  };

  return {
    check,
    async confirm(auth, password) {
      const { user, attempt } = await check(auth, password);
      await db.write((tx) => throttle.succeed(tx, attempt));
      return user;
    },
    reserveCode: (user, auth) => reserve(codeCharges(user, auth), { ...auth, user }),
    recordFailure,
  };
}

function passwordFailure(user: UserRow | undefined): FailureReason {
  if (user === undefined) return 'unknown_user';
  return isEnabled(user) ? 'password' : 'disabled';
}
