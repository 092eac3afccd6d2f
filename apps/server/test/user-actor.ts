// Creates actors for tests that need no server.
import type { UserActor } from '@quarterdeck/core';

/** Creates the actor of a credential, by default a session; without permissions. */
export const userActor = (
  userId: number,
  { kind, id }: { kind: 'session' | 'api_token'; id: number } = { kind: 'session', id: userId * 10 },
): UserActor => ({
  kind: 'user',
  userId,
  username: `user ${userId}`,
  role: 'viewer',
  permissions: [],
  secondFactor: false,
  mustSetUpSecondFactor: false,
  scopes: null,
  errlogFilter: '',
  credential: { kind, id, name: '', errlogFilter: '', expireMs: 0, confirmed: false },
});
