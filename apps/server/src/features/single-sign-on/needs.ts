import type { Database } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import type { KeyRing } from '../../auth/key-ring.ts';
import type { SessionIdle } from '../../auth/session-idle.ts';
import type { AuditLog } from '../audit/audit.log.ts';
import type { EventBus } from '../event/event.bus.ts';
import type { ProviderClient } from './provider-client.ts';

/** Parts of a server that the sign-in with a provider works with. */
export interface SingleSignOnNeeds {
  readonly db: Database;
  readonly log: Logger;
  readonly key: KeyRing;
  readonly events: EventBus;
  readonly audit: AuditLog;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly sessionIdle: SessionIdle;
  /** The providers by their names. */
  readonly providerClients: ReadonlyMap<string, ProviderClient>;
}
