// Dependencies of the features. `startServer` builds them once for each server.
import type { Database } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import type { KeyRing } from './auth/key-ring.ts';
import type { Passwords } from './auth/passwords.ts';
import type { SessionIdle } from './auth/session-idle.ts';
import type { LineReads, Packer } from './errlog-store/errlog-store.ts';
import type { ListeningWindow } from './features/agent/records/listening-window.ts';
import type { ServerHealth } from './features/alert/kinds/health-state.ts';
import type { AuditLog } from './features/audit/audit.log.ts';
import type { EventBus } from './features/event/event.bus.ts';
import type { Folders } from './features/line/copies-on-disk.ts';
import type { RunningAttempts } from './features/webhook/recall.ts';
import type { Transports } from './features/webhook/transport.ts';
import type { Admission } from './http/admission/admission.ts';

/** Dependencies of the features. */
export interface Deps {
  readonly db: Database;
  readonly log: Logger;
  readonly key: KeyRing;
  readonly passwords: Passwords;
  readonly events: EventBus;
  readonly lineReads: LineReads;
  readonly packer: Packer;
  readonly audit: AuditLog;
  readonly transports: Transports;
  /** Attempts to send messages that run here. */
  readonly attempts: RunningAttempts;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds that only move forward. */
  readonly monotonic: () => number;
  readonly listeningWindow: ListeningWindow;
  readonly folders: Folders;
  /** Address of this server for people, without a slash at its end. */
  readonly publicUrl: string | undefined;
  /** Seconds between agents' reports. */
  readonly agentIntervalS: number;
  /** Log lines that a source may send in a minute; 0 = unlimited. */
  readonly sourceQuota: number;
  /** New groups of errors that a credential or an address may cause in a minute. */
  readonly newGroupsPerMinute: number;
  /** Longest expiry of an API token in days; undefined = unlimited. */
  readonly tokenMaxDays: number | undefined;
  readonly sessionIdle: SessionIdle;
  readonly admission: Pick<Admission, 'isLate'>;
  readonly health: ServerHealth;
  /** Maximum of API tokens of one user that have not expired. */
  readonly maxTokensPerUser: number;
  /** Days for which audit entries are kept; 0 = unlimited. */
  readonly auditDays: number;
}
