// People: signing in, their own account, and those who manage them. Each part is a file; this one only joins them.
import type { contract, Service } from '@quarterdeck/core';
import { createThrottle } from '../../auth/throttle.ts';
import type { CallContext, Deps } from '../../deps.ts';
import { guardedPassword } from './guarded-password.ts';
import { ownAccount } from './own-account.ts';
import { ownSecondFactor } from './own-second-factor.ts';
import { createProve } from './proof.ts';
import { signIn } from './sign-in.ts';
import { userAdmin } from './user-admin.ts';

/** `waitMaxMs`: how long a sign-in waits for the outcome of others, where it is not the usual time. */
export function userService(deps: Deps, waitMaxMs?: number): Service<(typeof contract)['user'], CallContext> {
  const throttle = createThrottle(deps.db, deps.now, waitMaxMs);
  const guard = guardedPassword(deps, throttle);
  const prove = createProve(deps, throttle, guard);
  return {
    ...signIn(deps, prove),
    ...ownAccount(deps, guard, prove),
    ...ownSecondFactor(deps, throttle, guard),
    ...userAdmin(deps),
  };
}

/** The official client asks for groups; there are none. */
export function userGroupService(): Service<(typeof contract)['userGroup'], CallContext> {
  return { list: async () => [] };
}
