// A caller of the tests.
import type { Permission, UserActor } from '@quarterdeck/core';

export const userActor = (permissions: readonly Permission[], role = 'operator'): UserActor => ({
  kind: 'user',
  userId: 1,
  username: 'ann',
  role,
  permissions,
  secondFactor: false,
  mustSetUpSecondFactor: false,
  scopes: null,
  errlogFilter: '',
  credential: { kind: 'api_token', id: 1, name: '', errlogFilter: '', expireMs: 0, confirmed: false },
});
