// Agents: who is alive, and what they run.
import type { contract, Service } from '@quarterdeck/core';
import type { CallContext, Deps } from '../../deps.ts';
import { createClones } from './agent.clones.ts';
import { agentAdmin } from './agent.manage.ts';
import { agentQueries } from './agent.read.ts';
import { agentRegistration } from './agent.register.ts';
import { agentReporting } from './agent.reports.ts';
import { agentSweep, type Sweep } from './agent.sweep.ts';
import { agentUpkeep } from './agent.upkeep.ts';

/** The methods of the contract. */
export type AgentTable = Service<(typeof contract)['agent'], CallContext>;

/** The agent service, and what the rest of the server needs of it. */
export interface AgentService extends AgentTable {
  /** Declares agents lost that went silent, and follows outages: every few seconds. */
  readonly sweep: Sweep;
  /** What days and weeks do to agents that are away: every minute. */
  readonly upkeep: Sweep;
  /** Somebody used the secret that an agent had before, while the agent uses the new one. */
  noteClone(agentId: number): void;
  /** Writes what can still be written. */
  close(): Promise<void>;
}

export function agentService(deps: Deps): AgentService {
  const clones = createClones(deps);
  const { storeReports, ...reporting } = agentReporting(deps);
  const sweep = agentSweep(deps);
  return {
    ...agentQueries(deps),
    ...agentAdmin(deps),
    ...agentRegistration(deps, clones),
    ...reporting,
    async sweep(stopped) {
      await storeReports();
      await sweep(stopped);
    },
    upkeep: agentUpkeep(deps),
    noteClone: clones.note,
    async close() {
      await storeReports();
      await clones.close();
    },
  };
}
