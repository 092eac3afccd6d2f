import type { Database } from '@quarterdeck/core/db';
import type { KeyRing } from '../../auth/key-ring.ts';
import type { AuditLog } from '../audit/audit.log.ts';
import type { Transports } from './transport.ts';

/** Parts of a server that webhooks work with. */
export interface WebhookNeeds {
  readonly db: Database;
  readonly key: KeyRing;
  readonly audit: AuditLog;
  readonly transports: Transports;
  /** Unix milliseconds. */
  readonly now: () => number;
}
