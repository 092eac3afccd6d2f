// Entries of the audit log that tests make up.
import type { Actor } from '@quarterdeck/core';
import type { AuditDraft } from '../src/features/audit/audit.log.ts';
import type { TestApi } from './start-api.ts';

/** Adds an entry. */
export const record = ({ server }: TestApi, draft: Partial<AuditDraft> = {}) =>
  server.deps.db.write((tx) => server.deps.audit.record(tx, { action: 'test.done', actor: 'system', ...draft }));

/** Somebody by session. */
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
