// The only place that looks at a password somebody brings: counted before it is looked at, the same work whoever it is
// said to be, and remembered when it was wrong.
import { AppError } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { ACCOUNT, ADDRESS, type Attempt, type Charge, SECOND_FACTOR, type Throttle } from '../../auth/throttle.ts';
import { accountKey, addressKey, networkOf, otpKey, pairKey } from '../../auth/throttle-keys.ts';
import type { CallContext, Deps } from '../../deps.ts';
import { isUsable, type UserRow } from './user.repo.ts';

type Request = CallContext['request'];

/** For so long a network counts as known after a sign-in from it. */
export const NETWORK_KNOWN_MS = 30 * 24 * 3_600_000;

/** Who somebody says they are. */
export interface Claim {
  readonly username: string;
  /** undefined where nobody has that name. */
  readonly user: UserRow | undefined;
  /** The user has lately signed in from where the request comes from. */
  readonly known: boolean;
  readonly request: Request;
  /** What it is for: `sign_in`, `password_change`, ... */
  readonly purpose: string;
}

/** Why an attempt failed; for the audit log, never for the caller. */
export type FailureReason = 'unknown_user' | 'disabled' | 'password' | 'otp' | 'otp_replayed' | 'changed_meanwhile';

/**
 * What a password is counted for. Where the user is known to come from, it has a budget of its own: no stranger can use
 * that one up, and what strangers do to the others does not matter to it.
 */
function passwordCharges({ username, known, request }: Claim): Charge[] {
  const network = networkOf(request.address);
  if (known) return [{ key: pairKey(username, network), budget: ACCOUNT, onSuccess: 'forget' }];
  return [
    { key: accountKey(username), budget: ACCOUNT, onSuccess: 'give_back' },
    { key: addressKey(network), budget: ADDRESS, onSuccess: 'give_back' },
  ];
}

function codeCharges(user: UserRow, { known, request }: Pick<Claim, 'known' | 'request'>): Charge[] {
  const key = otpKey(user.id, known ? networkOf(request.address) : undefined);
  return [{ key, budget: SECOND_FACTOR, onSuccess: 'forget' }];
}

/** Checks passwords, and counts codes. */
export interface GuardedPassword {
  /**
   * Resolves where the password is right. The attempt must then be settled with the throttle, in the write that acts on
   * it.
   *
   * @throws AppError `login_failed`, `too_many_requests` or `overloaded`
   */
  check(claim: Claim, password: string): Promise<{ user: UserRow; attempt: Attempt }>;
  /** The same for somebody who is signed in and asked once more; nothing is left to settle. */
  confirm(claim: Claim, password: string): Promise<UserRow>;
  /** Counts a code of the second factor that is about to be looked at. */
  reserveCode(user: UserRow, claim: Pick<Claim, 'known' | 'request'>): Promise<Attempt>;
  /** Remembers a failed attempt in the audit log. */
  recordFailure(tx: Tx, claim: Pick<Claim, 'user' | 'request' | 'purpose'>, reason: FailureReason): Promise<void>;
}

export function guardedPassword(deps: Deps, throttle: Throttle): GuardedPassword {
  const { db, passwords, audit } = deps;

  const recordFailure: GuardedPassword['recordFailure'] = (tx, { user, request, purpose }, reason) =>
    audit.record(tx, {
      action: 'user.login_failed',
      actor: null,
      request,
      // A name that nobody has is left out: it may be a password, typed into the wrong field.
      ...(user === undefined ? {} : { target: { kind: 'user', id: user.id } }),
      detail: { reason, purpose, ...(user === undefined ? {} : { username: user.username }) },
    });

  const check: GuardedPassword['check'] = async (claim, password) => {
    const { user } = claim;
    const usable = user !== undefined && isUsable(user) ? user : undefined;
    const attempt = await throttle.reserve(passwordCharges(claim));
    let fits: boolean;
    try {
      fits = await passwords.verify(usable?.password_hash, password);
    } catch (error) {
      // It was not looked at: the server was too busy.
      await db.write((tx) => throttle.giveBack(tx, attempt));
      throw error;
    }
    if (usable !== undefined && fits) return { user: usable, attempt };
    const reason = user === undefined ? 'unknown_user' : usable === undefined ? 'disabled' : 'password';
    await db.write(async (tx) => {
      await throttle.fail(tx, attempt);
      await recordFailure(tx, claim, reason);
    });
    throw new AppError('login_failed');
  };

  return {
    check,
    async confirm(claim, password) {
      const { user, attempt } = await check(claim, password);
      await db.write((tx) => throttle.succeed(tx, attempt));
      return user;
    },
    reserveCode: (user, claim) => throttle.reserve(codeCharges(user, claim)),
    recordFailure,
  };
}
