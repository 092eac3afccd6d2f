// The whole API at a glance.
import { agent } from './agent.ts';
import { apiToken } from './api-token.ts';
import { audit } from './audit.ts';
import { errlog } from './errlog.ts';
import { system } from './system.ts';
import { user, userGroup } from './user.ts';

/** Every endpoint of the service. The first ones are asked most often, and routes are tried in this order. */
export const contract = { errlog, apiToken, agent, user, userGroup, audit, system };
