// Agents: who is alive, and what they run.
import type { contract, Service } from '@quarterdeck/core';
import type { CallContext, Deps } from '../../deps.ts';
import { agentManaging } from './agent.manage.ts';
import { agentReading } from './agent.read.ts';
import { agentReporting } from './agent.reports.ts';

/** The methods of the contract. */
export type AgentTable = Service<(typeof contract)['agent'], CallContext>;

/** The agent service, and what the rest of the server needs of it. */
export interface AgentService extends AgentTable {
  /** Announces agents that went silent. `startedMs` is when this server began to listen, Unix milliseconds. */
  announceLost(startedMs: number): Promise<void>;
}

export function agentService(deps: Deps): AgentService {
  return { ...agentReading(deps), ...agentManaging(deps), ...agentReporting(deps) };
}
