import type { Logger } from 'pino';
import type { AuditLog } from '../audit/audit.log.ts';
import type { EventBus } from '../event/event.bus.ts';
import type { KindNeeds } from './kinds/kind.ts';

/** Parts of a server that alerts work with. */
export interface AlertNeeds extends KindNeeds {
  readonly log: Logger;
  readonly events: EventBus;
  readonly audit: AuditLog;
  /** Milliseconds that only move forward. */
  readonly monotonic: () => number;
  /** Address of this server for people, without a slash at its end. */
  readonly publicUrl: string | undefined;
}
