// Kind of a rule -> its implementation.
import type { Deps } from '../../../deps.ts';
import { agentBack } from './agent-back.ts';
import { agentOffline } from './agent-offline.ts';
import { agentOutage } from './agent-outage.ts';
import { auditBroken } from './audit-broken.ts';
import { errorCount } from './errlog-count.ts';
import { newErrors, regressedErrors } from './errlog-moments.ts';
import { errorSpike } from './errlog-spike.ts';
import type { Kinds } from './kind.ts';
import { operationFailed } from './operation-failed.ts';
import { serverHealth } from './server-health.ts';
import { signinFailed } from './signin-failed.ts';
import { silence } from './silence.ts';
import { tokenExpiring } from './token-expiring.ts';
import { tokenReused } from './token-reused.ts';

/** Creates the kinds of rules. They may keep caches; what must outlive the process is in the position of a rule. */
export const createKinds = (deps: Deps): Kinds => ({
  'errlog.new': newErrors(deps),
  'errlog.regressed': regressedErrors(deps),
  'errlog.count': errorCount(deps),
  'errlog.spike': errorSpike(deps),
  silence: silence(deps),
  'agent.offline': agentOffline(deps),
  'agent.back': agentBack(deps),
  'agent.outage': agentOutage(deps),
  'operation.failed': operationFailed(deps),
  'token.expiring': tokenExpiring,
  'token.reused': tokenReused,
  'signin.failed': signinFailed,
  'audit.broken': auditBroken(deps),
  'server.health': serverHealth(deps),
});
