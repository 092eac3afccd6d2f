import type { Logger } from 'pino';
import type { AgentDeps } from '../agent/records/agent.types.ts';
import type { AuditLog } from '../audit/audit.log.ts';

/** Parts of a server that rules about kernels work with. */
export interface KernelRuleNeeds extends AgentDeps {
  readonly log: Logger;
  readonly audit: AuditLog;
}
