import type { Database } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import type { KeyRing } from '../../auth/key-ring.ts';
import type { SessionIdle } from '../../auth/session-idle.ts';
import type { AuditLog } from '../audit/audit.log.ts';
import type { EventBus } from '../event/event.bus.ts';
import type { TokenUses } from './token-uses.ts';

/** Parts of a server that API tokens work with. */
export interface TokenNeeds {
  readonly db: Database;
  readonly log: Logger;
  readonly key: KeyRing;
  readonly events: EventBus;
  readonly audit: AuditLog;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Longest expiry of an API token in days; undefined = unlimited. */
  readonly tokenMaxDays: number | undefined;
  readonly sessionIdle: SessionIdle;
  readonly tokenUses: TokenUses;
  /** Maximum of API tokens of one user that have not expired. */
  readonly maxTokensPerUser: number;
}
