import type { Logger } from 'pino';
import type { KeyRing } from '../../auth/key-ring.ts';
import type { AuditLog } from '../audit/audit.log.ts';
import type { AgentDeps } from './records/agent.types.ts';

/** Parts of a server that agents work with. */
export interface AgentNeeds extends AgentDeps {
  readonly log: Logger;
  readonly key: KeyRing;
  readonly audit: AuditLog;
  /** Seconds between agents' reports. */
  readonly agentIntervalS: number;
}
