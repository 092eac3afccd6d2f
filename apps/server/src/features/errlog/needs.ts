import type { LineReads } from '@quarterdeck/store';
import type { AuditLog } from '../audit/audit.log.ts';
import type { EventBus } from '../event/event.bus.ts';
import type { IntakeNeeds } from './intake/needs.ts';

/** Parts of a server that error logs work with. */
export interface ErrlogNeeds extends IntakeNeeds {
  readonly events: EventBus;
  readonly lineReads: LineReads;
  readonly audit: AuditLog;
}
