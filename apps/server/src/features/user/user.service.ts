// The noun `user`: signing in, the own account, and managing users. Each part is a file beside this one.
import type { contract, Service } from '@quarterdeck/core';
import { createThrottle } from '../../auth/throttle.ts';
import type { CallContext } from '../call-context.ts';
import { createBlockedAttempts } from './blocked-attempts.ts';
import { createCredentialsCheck } from './credentials-check.ts';
import type { UserNeeds } from './needs.ts';
import { ownAccount } from './own-account.ts';
import { ownSecondFactor } from './own-second-factor.ts';
import { createPasswordCheck } from './password-check.ts';
import { signIn } from './sign-in.ts';
import { userAdmin } from './user-admin.ts';

/** Endpoints of the contract, and what the jobs need. */
export interface UserService extends Service<(typeof contract)['user'], CallContext> {
  /** Records sign-ins that the throttle has refused. */
  recordBlocked(): Promise<void>;
}

/** Creates the service. `waitMaxMs` replaces the usual time that a sign-in waits for the outcome of others. */
export function userService(deps: UserNeeds, waitMaxMs?: number): UserService {
  const throttle = createThrottle(deps.db, deps.now, waitMaxMs);
  const blocked = createBlockedAttempts(deps);
  const passwordCheck = createPasswordCheck(deps, throttle, blocked);
  const checkCredentials = createCredentialsCheck(deps, throttle, passwordCheck);
  return {
    ...signIn(deps, checkCredentials),
    ...ownAccount(deps, passwordCheck, checkCredentials),
    ...ownSecondFactor(deps, throttle, passwordCheck),
    ...userAdmin(deps),
    recordBlocked: blocked.write,
  };
}

/** Answers the official client, which asks for groups; there are none. */
export function userGroupService(): Service<(typeof contract)['userGroup'], CallContext> {
  return { list: async () => [] };
}
