// Creates audit entries for tests.
import type { Actor } from '@quarterdeck/core';
import type { AuditDraft } from '../src/features/audit/audit.log.ts';
import type { TestApi } from './start-api.ts';

/** Records an entry. */
export const record = ({ server }: TestApi, draft: Partial<AuditDraft> = {}) =>
  server.deps.db.write((tx) => server.deps.audit.record(tx, { action: 'test.done', actor: 'system', ...draft }));

/** Creates the actor of a session. */
export const userActor = (userId: number): Actor => ({
  kind: 'user',
  userId,
  username: `user ${userId}`,
  role: 'viewer',
  permissions: [],
  secondFactor: false,
  mustSetUpSecondFactor: false,
  scopes: null,
  credential: { kind: 'session', id: userId * 10, expireMs: 0, confirmed: false },
});
