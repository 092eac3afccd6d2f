import type { Database } from '@quarterdeck/core/db';
import type { KeyRing } from '../../auth/key-ring.ts';
import type { AuditLog } from '../audit/audit.log.ts';

/** Parts of a server that enrollment tokens work with. */
export interface EnrollmentNeeds {
  readonly db: Database;
  readonly key: KeyRing;
  readonly audit: AuditLog;
  /** Unix milliseconds. */
  readonly now: () => number;
}
