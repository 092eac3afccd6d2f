// One service per noun of the contract: the composition root.
import type { Deps } from './deps.ts';
import { type AgentService, agentService } from './features/agent/agent.service.ts';
import { apiTokenService } from './features/api-token/api-token.service.ts';
import { type ErrlogService, errlogService } from './features/errlog/errlog.service.ts';
import { systemService } from './features/system/system.service.ts';
import { userService } from './features/user/user.service.ts';
import type { Services } from './http/mount.ts';

/** All services; two of them do more than the contract asks. */
export type AllServices = Services & { readonly errlog: ErrlogService; readonly agent: AgentService };

/** Makes the services. */
export function createServices(deps: Deps): AllServices {
  return {
    errlog: errlogService(deps),
    apiToken: apiTokenService(deps),
    agent: agentService(deps),
    user: userService(deps),
    system: systemService(),
  };
}
