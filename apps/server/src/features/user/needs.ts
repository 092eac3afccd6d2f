import type { Database } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import type { KeyRing } from '../../auth/key-ring.ts';
import type { Passwords } from '../../auth/passwords.ts';
import type { SessionIdle } from '../../auth/session-idle.ts';
import type { AuditLog } from '../audit/audit.log.ts';
import type { EventBus } from '../event/event.bus.ts';

/** Parts of a server that users work with. */
export interface UserNeeds {
  readonly db: Database;
  readonly log: Logger;
  readonly key: KeyRing;
  readonly passwords: Passwords;
  readonly events: EventBus;
  readonly audit: AuditLog;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly sessionIdle: SessionIdle;
  /** Providers that people may sign in with. */
  readonly providers: readonly { readonly name: string }[];
  /** Users who may sign in with a password. */
  readonly passwordLogin: 'all' | 'masters';
}
