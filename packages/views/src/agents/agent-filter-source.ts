// Names and values for the completion of filters of agents, from the server.
import {
  AGENT_FIELD_NAMES,
  AGENT_FIELDS,
  type FieldNames,
  formatName,
  formatValue,
  labelOfName,
} from '@quarterdeck/core/filter';
import type { Agent, AgentTotals, Client } from '@quarterdeck/sdk';
import type { Counted } from '../filters/completion.ts';
import type { FilterSource } from '../filters/suggest-filter.ts';
import { withChange } from '../filters/with-change.ts';
import type { AgentFilter } from './agent-filter.ts';
import { agentTotals } from './agents.ts';

/** Agents whose names and addresses are offered. */
const AGENTS = 50;

/** Fields that nearly every agent has another value of. */
const OWN: Readonly<Record<string, (agent: Agent) => string>> = {
  host: ({ hostname }) => hostname,
  node: ({ node_id }) => node_id,
  address: ({ ip }) => ip,
};

/** Counts the names of labels; a label counts once for each of its values. */
function labelNames({ labels }: AgentTotals): Counted {
  const counts = new Map<string, number>();
  for (const { value, count } of labels) {
    const name = `label.${value.split('=', 1)[0]}`;
    counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count);
}

function countedValues(name: string, totals: AgentTotals): Counted {
  const label = labelOfName(name);
  if (label !== undefined) {
    const prefix = `${label}=`;
    return totals.labels.flatMap(({ value, count }) =>
      value.startsWith(prefix) ? [{ value: value.slice(prefix.length), count }] : [],
    );
  }
  switch (name) {
    case 'state':
      return totals.states.map(({ state, count }) => ({ value: state, count }));
    case 'env':
      return totals.envs;
    case 'kernel':
      return totals.kernels;
    case 'version':
      return totals.packages;
    case 'os':
      return totals.systems;
    default:
      return [];
  }
}

/** Flags of agents with the number of those that have them. */
function flagValues(name: string, totals: AgentTotals): Counted {
  const flag = (['online', 'maintenance', 'bad_kernel', 'cloned'] as const).find((one) => one === name);
  if (flag === undefined) return [];
  return [
    { value: 'yes', count: totals[flag] },
    { value: 'no', count: totals.count - totals[flag] },
  ];
}

/** Creates the source. The counts pass the filter but for its text. */
export function agentFilterSource(client: Client, filter: AgentFilter, names: FieldNames): FilterSource {
  const others = withChange(filter, { filter: undefined });
  return {
    names: { ...names, listed: AGENT_FIELD_NAMES },
    readNames: async (signal) => labelNames(await agentTotals(client, others, signal)),
    values: (name) => async (begun, signal) => {
      const own = OWN[name];
      if (own === undefined) {
        const totals = await agentTotals(client, others, signal);
        return [...countedValues(name, totals), ...flagValues(name, totals)];
      }
      const begins = begun === '' ? {} : { filter: `${formatName(name, AGENT_FIELDS)}:${formatValue(begun)}*` };
      const query = { ...others, ...begins, sort: 'hostname' as const, _pagesize: AGENTS };
      return (await client.agent.list({ query }, { signal })).map((agent) => ({ value: own(agent), count: 1 }));
    },
  };
}
