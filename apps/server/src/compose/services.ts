// One service per noun of the contract: the composition root.

import { type AgentService, agentService } from '../features/agent/agent.service.ts';
import {
  type AgentOperationService,
  agentOperationService,
} from '../features/agent-operation/agent-operation.service.ts';
import { type AlertService, alertService } from '../features/alert/alert.service.ts';
import { type ApiTokenService, apiTokenService } from '../features/api-token/api-token.service.ts';
import { type AuditService, auditService } from '../features/audit/audit.service.ts';
import { type ChangeService, changeService } from '../features/change/change.service.ts';
import { deviceLoginService } from '../features/device-login/device-login.service.ts';
import { enrollmentService } from '../features/enrollment/enrollment.service.ts';
import { type ErrlogService, errlogService } from '../features/errlog/errlog.service.ts';
import { type KernelRuleService, kernelRuleService } from '../features/kernel-rule/kernel-rule.service.ts';
import { ledgerService } from '../features/ledger/ledger.service.ts';
import { lineService } from '../features/line/line.service.ts';
import { linkService } from '../features/link/link.service.ts';
import { outageService } from '../features/outage/outage.service.ts';
import { identityService } from '../features/single-sign-on/identity.service.ts';
import { systemService } from '../features/system/system.service.ts';
import { exchangeService } from '../features/trust/exchange.ts';
import { trustService } from '../features/trust/trust.service.ts';
import { type UserService, userGroupService, userService } from '../features/user/user.service.ts';
import { webhookService } from '../features/webhook/webhook.service.ts';
import type { Services } from '../http/contract-routes.ts';
import type { Deps } from './deps.ts';

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
