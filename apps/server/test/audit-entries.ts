// Creates audit entries for tests.
import type { AuditDraft } from '../src/features/audit/audit.log.ts';
import type { TestApi } from './start-api.ts';

/** Records an entry. */
export const record = ({ server }: TestApi, draft: Partial<AuditDraft> = {}) =>
  server.deps.db.write((tx) => server.deps.audit.record(tx, { action: 'test.done', actor: 'system', ...draft }));
