// The noun `user`: signing in, the own account, and managing users. Each part is a file beside this one.
import type { contract, Service } from '@quarterdeck/core';
import { createThrottle } from '../../auth/throttle.ts';
import type { CallContext } from '../../call-context.ts';
import type { Deps } from '../../deps.ts';
import { createCredentialsCheck } from './credentials-check.ts';
import { ownAccount } from './own-account.ts';
import { ownSecondFactor } from './own-second-factor.ts';
import { createPasswordCheck } from './password-check.ts';
import { signIn } from './sign-in.ts';
import { userAdmin } from './user-admin.ts';

/** Creates the service. `waitMaxMs` replaces the usual time that a sign-in waits for the outcome of others. */
export function userService(deps: Deps, waitMaxMs?: number): Service<(typeof contract)['user'], CallContext> {
  const throttle = createThrottle(deps.db, deps.now, waitMaxMs);
  const passwordCheck = createPasswordCheck(deps, throttle);
  const checkCredentials = createCredentialsCheck(deps, throttle, passwordCheck);
  return {
    ...signIn(deps, checkCredentials),
    ...ownAccount(deps, passwordCheck, checkCredentials),
    ...ownSecondFactor(deps, throttle, passwordCheck),
    ...userAdmin(deps),
  };
}

/** Answers the official client, which asks for groups; there are none. */
export function userGroupService(): Service<(typeof contract)['userGroup'], CallContext> {
  return { list: async () => [] };
}
