// Kind of a rule -> its implementation.

import { agentBack } from './kinds/agent-back.ts';
import { agentOffline } from './kinds/agent-offline.ts';
import { agentOutage } from './kinds/agent-outage.ts';
import { auditBroken } from './kinds/audit-broken.ts';
import { certificateExpiring } from './kinds/certificate-expiring.ts';
import { changeWorse } from './kinds/change-worse.ts';
import { errorCount } from './kinds/errlog-count.ts';
import { newErrors, regressedErrors } from './kinds/errlog-moments.ts';
import { errorSpike } from './kinds/errlog-spike.ts';
import { hostResource } from './kinds/host-resource.ts';
import type { KindNeeds, Kinds } from './kinds/kind.ts';
import { explainGroups } from './kinds/matching.ts';
import { operationFailed } from './kinds/operation-failed.ts';
import { serverHealth } from './kinds/server-health.ts';
import { signinFailed } from './kinds/signin-failed.ts';
import { silence } from './kinds/silence.ts';
import { tokenExpiring } from './kinds/token-expiring.ts';
import { tokenReused } from './kinds/token-reused.ts';
import { stoppedCauses } from './stopped.repo.ts';

/** Creates the kinds of rules. They may keep caches; what must outlive the process is in the position of a rule. */
export const createKinds = (deps: KindNeeds): Kinds => ({
  'errlog.new': { ...newErrors(deps), explain: explainGroups(deps) },
  'errlog.regressed': { ...regressedErrors(deps), explain: explainGroups(deps) },
  'errlog.count': errorCount(deps),
  'errlog.spike': errorSpike(deps),
  silence: silence(deps),
  'agent.offline': agentOffline(deps),
  'agent.back': agentBack(deps),
  'agent.outage': agentOutage(deps),
  'operation.failed': operationFailed(deps),
  'certificate.expiring': certificateExpiring(deps),
  'host.resource': hostResource(deps),
  'change.worse': changeWorse(deps),
  'token.expiring': tokenExpiring,
  'token.reused': tokenReused,
  'signin.failed': signinFailed,
  'audit.broken': auditBroken(deps),
  'server.health': serverHealth(deps, stoppedCauses),
});
