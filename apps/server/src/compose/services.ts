// One service per noun of the contract: the composition root.
import { type AgentService, agentService } from '../features/agent/agent.service.ts';
import type { AgentNeeds } from '../features/agent/needs.ts';
import {
  type AgentOperationService,
  agentOperationService,
} from '../features/agent-operation/agent-operation.service.ts';
import type { OperationNeeds } from '../features/agent-operation/needs.ts';
import { type AlertService, alertService } from '../features/alert/alert.service.ts';
import type { AlertNeeds } from '../features/alert/needs.ts';
import { type ApiTokenService, apiTokenService } from '../features/api-token/api-token.service.ts';
import type { TokenNeeds } from '../features/api-token/needs.ts';
import { type AuditService, auditService } from '../features/audit/audit.service.ts';
import type { AuditNeeds } from '../features/audit/needs.ts';
import { type ChangeService, changeService } from '../features/change/change.service.ts';
import type { ChangeNeeds } from '../features/change/needs.ts';
import { deviceLoginService } from '../features/device-login/device-login.service.ts';
import type { DeviceNeeds } from '../features/device-login/needs.ts';
import { enrollmentService } from '../features/enrollment/enrollment.service.ts';
import type { EnrollmentNeeds } from '../features/enrollment/needs.ts';
import { type ErrlogService, errlogService } from '../features/errlog/errlog.service.ts';
import type { ErrlogNeeds } from '../features/errlog/needs.ts';
import { type KernelRuleService, kernelRuleService } from '../features/kernel-rule/kernel-rule.service.ts';
import type { KernelRuleNeeds } from '../features/kernel-rule/needs.ts';
import { ledgerService } from '../features/ledger/ledger.service.ts';
import { lineService } from '../features/line/line.service.ts';
import type { LineNeeds } from '../features/line/needs.ts';
import { linkService } from '../features/link/link.service.ts';
import { outageService } from '../features/outage/outage.service.ts';
import { identityService } from '../features/single-sign-on/identity.service.ts';
import type { SingleSignOnNeeds } from '../features/single-sign-on/needs.ts';
import { systemService } from '../features/system/system.service.ts';
import { exchangeService } from '../features/trust/exchange.ts';
import type { TrustNeeds } from '../features/trust/needs.ts';
import { trustService } from '../features/trust/trust.service.ts';
import type { UserNeeds } from '../features/user/needs.ts';
import { type UserService, userGroupService, userService } from '../features/user/user.service.ts';
import type { WebhookNeeds } from '../features/webhook/needs.ts';
import type { RunningAttempts } from '../features/webhook/recall.ts';
import { webhookService } from '../features/webhook/webhook.service.ts';
import type { Services } from '../http/contract-routes.ts';

/** All services; some have methods beyond the contract. */
export type AllServices = Services & {
  readonly errlog: ErrlogService;
  readonly agent: AgentService;
  readonly agentOperation: AgentOperationService;
  readonly kernelRule: KernelRuleService;
  readonly change: ChangeService;
  readonly alert: AlertService;
  readonly apiToken: ApiTokenService;
  readonly audit: AuditService;
  readonly user: UserService;
};

export function createServices(deps: Deps): AllServices {
  const errlog = errlogService(deps);
  const alert = alertService(deps, ({ ids, ...change }, call) =>
    errlog.bulk({ ...call, body: { ...change, ids: [...ids], dry_run: false }, query: { dry_run: false } }),
  );
  return {
    errlog,
    line: lineService(deps),
    ledger: ledgerService(deps),
    apiToken: { ...apiTokenService(deps), ...exchangeService(deps) },
    trust: trustService(deps),
    enrollment: enrollmentService(deps),
    agentOperation: agentOperationService(deps),
    kernelRule: kernelRuleService(deps),
    outage: outageService(deps),
    change: changeService(deps),
    alert,
    link: linkService({ ...deps, read: { alert: alert.instance, errlog: errlog.get } }),
    agent: agentService(deps),
    deviceLogin: deviceLoginService(deps),
    user: userService(deps),
    identity: identityService(deps),
    userGroup: userGroupService(),
    audit: auditService(deps),
    system: systemService(),
    webhook: webhookService(deps),
  };
}

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
