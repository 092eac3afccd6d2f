// State that the demo server answers from.
import type {
  Agent,
  AgentEvent,
  ApiToken,
  AuditEntry,
  Enrollment,
  ErrlogEntry,
  KernelRule,
  Operation,
  Outage,
  Session,
  User,
} from '@quarterdeck/core';

/** State of the demo. */
export interface Fleet {
  errlog: ErrlogEntry[];
  agents: Agent[];
  /** Histories of the agents by id, newest first. */
  history: Map<number, AgentEvent[]>;
  operations: Operation[];
  enrollments: Enrollment[];
  kernelRules: KernelRule[];
  outages: Outage[];
  tokens: ApiToken[];
  users: User[];
  sessions: Session[];
  audit: AuditEntry[];
  required: readonly string[];
}
