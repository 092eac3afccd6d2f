// The complete API.
import { agent } from './agent.ts';
import { agentOperation } from './agent-operation.ts';
import { alert } from './alert.ts';
import { apiToken } from './api-token.ts';
import { audit } from './audit.ts';
import { change } from './change.ts';
import { deviceLogin } from './device-login.ts';
import { enrollment } from './enrollment.ts';
import { errlog } from './errlog.ts';
import { identity } from './identity.ts';
import { kernelRule } from './kernel-rule.ts';
import { ledger } from './ledger.ts';
import { line } from './line.ts';
import { link } from './link.ts';
import { outage } from './outage.ts';
import { system } from './system.ts';
import { trust } from './trust.ts';
import { user, userGroup } from './user.ts';
import { webhook } from './webhook.ts';

/** Every endpoint of the service. Routes are tried in this order, so the most frequent ones come first. */
export const contract = {
  errlog,
  apiToken,
  trust,
  enrollment,
  agentOperation,
  kernelRule,
  outage,
  change,
  agent,
  deviceLogin,
  user,
  identity,
  userGroup,
  audit,
  system,
  line,
  ledger,
  webhook,
  alert,
  link,
};
