// Dependencies of the features. `startServer` builds them once for each server.
import type { Database } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import type { Passwords } from './auth/passwords.ts';
import type { SecretKey } from './auth/secrets.ts';
import type { SessionIdle } from './auth/session-idle.ts';
import type { LineReads, Packer } from './errlog-store/errlog-store.ts';
import type { ListeningWindow } from './features/agent/listening-window.ts';
import type { AuditLog } from './features/audit/audit.log.ts';
import type { EventBus } from './features/event/event.bus.ts';

/** Dependencies of the features. */
export interface Deps {
  readonly db: Database;
  readonly log: Logger;
  readonly key: SecretKey;
  readonly passwords: Passwords;
  readonly events: EventBus;
  readonly lineReads: LineReads;
  readonly packer: Packer;
  readonly audit: AuditLog;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly listeningWindow: ListeningWindow;
  /** Seconds between agents' reports. */
  readonly agentIntervalS: number;
  /** Log lines that a source may send in a minute; 0 = unlimited. */
  readonly sourceQuota: number;
  /** New groups of errors that a credential or an address may cause in a minute. */
  readonly newGroupsPerMinute: number;
  /** Longest expiry of an API token in days; undefined = unlimited. */
  readonly tokenMaxDays: number | undefined;
  readonly sessionIdle: SessionIdle;
  /** Maximum of API tokens of one user that have not expired. */
  readonly maxTokensPerUser: number;
  /** Days for which audit entries are kept; 0 = unlimited. */
  readonly auditDays: number;
}
