import type { Database } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import type { AuditLog } from '../audit/audit.log.ts';
import type { EventBus } from '../event/event.bus.ts';

/** Parts of a server that changes work with. */
export interface ChangeNeeds {
  readonly db: Database;
  readonly log: Logger;
  readonly events: EventBus;
  readonly audit: AuditLog;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Aborted when the server stops: requests that wait are answered. */
  readonly stopping: AbortSignal;
}
