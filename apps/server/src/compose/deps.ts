// Parts of a server that its features work with. `startServer` builds them once for each server.
import type { AgentNeeds } from '../features/agent/needs.ts';
import type { OperationNeeds } from '../features/agent-operation/needs.ts';
import type { AlertNeeds } from '../features/alert/needs.ts';
import type { TokenNeeds } from '../features/api-token/needs.ts';
import type { AuditNeeds } from '../features/audit/needs.ts';
import type { ChangeNeeds } from '../features/change/needs.ts';
import type { DeviceNeeds } from '../features/device-login/needs.ts';
import type { EnrollmentNeeds } from '../features/enrollment/needs.ts';
import type { ErrlogNeeds } from '../features/errlog/needs.ts';
import type { KernelRuleNeeds } from '../features/kernel-rule/needs.ts';
import type { LineNeeds } from '../features/line/needs.ts';
import type { SingleSignOnNeeds } from '../features/single-sign-on/needs.ts';
import type { TrustNeeds } from '../features/trust/needs.ts';
import type { UserNeeds } from '../features/user/needs.ts';
import type { WebhookNeeds } from '../features/webhook/needs.ts';
import type { RunningAttempts } from '../features/webhook/recall.ts';

/** Sum of what the features need. */
export interface Deps
  extends AgentNeeds,
    OperationNeeds,
    AlertNeeds,
    TokenNeeds,
    AuditNeeds,
    ChangeNeeds,
    DeviceNeeds,
    EnrollmentNeeds,
    ErrlogNeeds,
    KernelRuleNeeds,
    LineNeeds,
    SingleSignOnNeeds,
    TrustNeeds,
    UserNeeds,
    WebhookNeeds {
  /** Attempts to send messages that run here. */
  readonly attempts: RunningAttempts;
}
