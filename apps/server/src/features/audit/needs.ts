import type { Database } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import type { KeyRing } from '../../auth/key-ring.ts';
import type { EventBus } from '../event/event.bus.ts';
import type { AuditLog } from './audit.log.ts';

/** Parts of a server that features with recorded and announced changes work with. Each picks those that it needs. */
export interface RecordingNeeds {
  readonly db: Database;
  readonly log: Logger;
  readonly key: KeyRing;
  readonly events: EventBus;
  readonly audit: AuditLog;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Parts of a server that the audit log works with. */
export interface AuditNeeds extends Pick<RecordingNeeds, 'db' | 'key' | 'audit' | 'now'> {
  /** Days for which audit entries are kept; 0 = unlimited. */
  readonly auditDays: number;
}
