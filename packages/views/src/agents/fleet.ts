// Summary of the fleet: counts, agents that are away, the current outage.
import type { Agent, AgentTotals, Client } from '@quarterdeck/sdk';
import { AWAY_STATES, NO_AGENT_FILTER } from './agent-filter.ts';
import { agentTotals } from './agents.ts';

/** Maximum number of named agents that are away. */
const AWAY_MAX = 20;

/** Summary of a fleet. */
export interface Fleet {
  readonly totals: AgentTotals;
  /** Agents that are away, the latest first, at most twenty. */
  readonly away: readonly Agent[];
}

/** Reads the summary: counts and a few rows, for a fleet of any size. */
export async function readFleet(client: Client, signal?: AbortSignal): Promise<Fleet> {
  const options = signal === undefined ? {} : { signal };
  const [totals, away] = await Promise.all([
    agentTotals(client, NO_AGENT_FILTER, signal),
    client.agent.list({ query: { state: AWAY_STATES, sort: '-state_since', _pagesize: AWAY_MAX, detail: 1 } }, options),
  ]);
  return { totals, away };
}
