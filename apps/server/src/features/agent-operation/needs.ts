import type { AgentDeps } from '../agent/records/agent.types.ts';
import type { AuditLog } from '../audit/audit.log.ts';

/** Parts of a server that operations work with. */
export interface OperationNeeds extends AgentDeps {
  readonly audit: AuditLog;
}
