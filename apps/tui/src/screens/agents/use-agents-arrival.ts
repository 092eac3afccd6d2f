// Filters the agents for a user who comes from another screen or from the command line.
import type { Agent } from '@quarterdeck/sdk';
import { useEffect, useState } from 'react';
import { argumentsProblem } from '../../commands/arguments.ts';
import type { List } from '../../components/list/use-list.ts';
import { AGENT_ARGUMENTS, type AgentFilter, agentFilterFor } from '../../data/agent-filter.ts';
import { useDashboard } from '../../data/dashboard.ts';
import { useArrival } from '../list/use-arrival.ts';

/** Applies the arguments of a visit; an agent that is asked for by its id is opened once it is read. */
export function useAgentsArrival(list: List<Agent>, setFilter: (filter: AgentFilter) => void): void {
  const { say } = useDashboard();
  const [wanted, setWanted] = useState<number | null>(null);
  const at = wanted === null ? -1 : list.ids.indexOf(wanted);
  useEffect(() => {
    if (at === -1) return;
    list.mover.to(at);
    list.act({ type: 'detail', detail: 'open' });
    setWanted(null);
  }, [at, list]);
  useArrival('agents', ({ args = {}, text }) => {
    const problem = argumentsProblem(args, AGENT_ARGUMENTS);
    if (problem !== null) return say({ tone: 'warning', text: problem });
    const filter = agentFilterFor(args, text);
    setFilter(filter);
    list.act({ type: 'filter', text: filter.q ?? '' });
    setWanted(/^\d+$/.test(args['id'] ?? '') ? Number(args['id']) : null);
  });
}
