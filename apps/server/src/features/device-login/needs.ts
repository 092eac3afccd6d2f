import type { Database } from '@quarterdeck/core/db';
import type { KeyRing } from '../../auth/key-ring.ts';
import type { SessionIdle } from '../../auth/session-idle.ts';
import type { AuditLog } from '../audit/audit.log.ts';

/** Parts of a server that the sign-in of terminals works with. */
export interface DeviceNeeds {
  readonly db: Database;
  readonly key: KeyRing;
  readonly audit: AuditLog;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly sessionIdle: SessionIdle;
  /** Address by which people reach this server; undefined = not known. */
  readonly publicUrl: string | undefined;
}
