import type { Database } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import type { KeyRing } from '../../auth/key-ring.ts';
import type { AuditLog } from '../audit/audit.log.ts';
import type { EventBus } from '../event/event.bus.ts';
import type { VerifyIdToken } from './id-token.ts';

/** Parts of a server that trust rules work with. */
export interface TrustNeeds {
  readonly db: Database;
  readonly log: Logger;
  readonly key: KeyRing;
  readonly events: EventBus;
  readonly audit: AuditLog;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly verifyIdToken: VerifyIdToken;
}
