import type { Database } from '@quarterdeck/core/db';
import type { KeyRing } from '../../auth/key-ring.ts';
import type { AuditLog } from './audit.log.ts';

/** Parts of a server that the audit log works with. */
export interface AuditNeeds {
  readonly db: Database;
  readonly key: KeyRing;
  readonly audit: AuditLog;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Days for which audit entries are kept; 0 = unlimited. */
  readonly auditDays: number;
}
