// The agent service: registration, reports, administration, lists, and the jobs over all agents.

import { agentAdmin } from './agent.admin.ts';
import { createClones } from './agent.clones.ts';
import { agentQueries } from './agent.queries.ts';
import { agentRegistration } from './agent.registration.ts';
import { agentReporting } from './agent.reports.ts';
import { agentSweep, agentUpkeep } from './agent.sweep.ts';
import type { AgentNeeds } from './needs.ts';
import type { AgentJob, AgentTable } from './records/agent.types.ts';

export interface AgentService extends AgentTable {
  /** Declares silent agents lost and follows outages; runs every few seconds. */
  readonly sweep: AgentJob;
  /** Makes agents inactive, ends clones and purges agents; runs every minute. */
  readonly upkeep: AgentJob;
  /** Notes that an agent's former secret was used while the new one is in use. */
  noteClone(agentId: number): void;
  /** Stores collected reports and clones. */
  close(): Promise<void>;
}

export function agentService(deps: AgentNeeds): AgentService {
  const clones = createClones(deps);
  const { heartbeat, shutdown, storeReports } = agentReporting(deps);
  const sweep = agentSweep(deps);
  return {
    ...agentQueries(deps),
    ...agentAdmin(deps),
    ...agentRegistration(deps, clones),
    heartbeat,
    shutdown,
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
