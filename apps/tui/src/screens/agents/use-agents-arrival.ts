// Filters the agents for a user who comes from another screen or from the command line.
import type { Agent } from '@quarterdeck/sdk';
import { AGENT_ARGUMENTS, type AgentFilter, agentFilterFor } from '@quarterdeck/views/agents';
import { argumentsProblem, withChange } from '@quarterdeck/views/filters';
import { parseMoment } from '@quarterdeck/views/times';
import type { List } from '../../components/list/use-list.ts';
import { useDashboard } from '../../context/dashboard.ts';
import { useArrival } from '../list/use-arrival.ts';
import { useSelectById } from '../list/use-select-by-id.ts';

/** Applies the arguments of a visit; an agent that is asked for by its id is opened once it is read. */
export function useAgentsArrival(
  list: List<Agent>,
  present: AgentFilter,
  setFilter: (filter: AgentFilter) => void,
): void {
  const { say, now, zone } = useDashboard();
  const select = useSelectById(list);
  useArrival('agents', ({ args = {}, text }) => {
    const problem = argumentsProblem(args, AGENT_ARGUMENTS);
    if (problem !== null) return say({ tone: 'warning', text: problem });
    const { at: typed, ...others } = args;
    const moment = typed === undefined ? undefined : parseMoment(typed, { nowMs: now(), zone });
    if (moment !== undefined && 'problem' in moment) return say({ tone: 'warning', text: moment.problem });
    // A time alone leaves the filter as it is.
    const isTimeOnly = moment !== undefined && text === undefined && Object.keys(others).length === 0;
    const at = moment === undefined || moment.value >= Math.floor(now() / 1000) ? undefined : moment.value;
    const filter = withChange(isTimeOnly ? present : agentFilterFor(others, text), { at });
    setFilter(filter);
    list.act({ type: 'filter', text: filter.filter ?? '' });
    select(/^\d+$/.test(args['id'] ?? '') ? Number(args['id']) : null);
  });
}
