// State that the demo server answers from.
import type {
  Agent,
  AgentEvent,
  Alert,
  AlertRule,
  ApiToken,
  AuditEntry,
  Change,
  Enrollment,
  ErrlogEntry,
  KernelRule,
  Line,
  Operation,
  Outage,
  RoleName,
  Session,
  User,
  Webhook,
  WebhookDelivery,
} from '@quarterdeck/core';

export interface Fleet {
  errlog: ErrlogEntry[];
  /** Stored lines, newest first. */
  lines: Line[];
  agents: Agent[];
  /** Histories of the agents by id, newest first. */
  history: Map<number, AgentEvent[]>;
  /** Changes from outside, latest first. */
  changes: Change[];
  operations: Operation[];
  enrollments: Enrollment[];
  kernelRules: KernelRule[];
  outages: Outage[];
  /** Alerts, newest first. */
  alerts: Alert[];
  alertRules: AlertRule[];
  webhooks: Webhook[];
  /** Deliveries by channel, newest first. */
  deliveries: Map<number, WebhookDelivery[]>;
  tokens: ApiToken[];
  users: User[];
  sessions: Session[];
  audit: AuditEntry[];
  required: readonly RoleName[];
}
