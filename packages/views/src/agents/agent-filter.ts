// Filters of the list of agents, and their descriptions. Pure.
import { quoteText } from '@quarterdeck/core/filter';
import { AGENT_STATES } from '@quarterdeck/core/plain';
import type { AgentListQuery, AgentState } from '@quarterdeck/sdk';
import { anyValue, isNumber, type KnownArguments } from '../filters/arguments.ts';
import { withChange } from '../filters/with-change.ts';
import { clean } from '../text/clean.ts';
import { momentText } from '../text/format.ts';

/** Filter of the list of agents. With `at` they are shown as they were at that time, Unix seconds. */
export type AgentFilter = Omit<AgentListQuery, '_page' | '_pagesize' | 'sort' | 'detail'>;

type AgentSort = NonNullable<AgentListQuery['sort']>;

/**
 * An order of the server, or one by states. `trouble` lists agents that are away first, the latest on top, then the
 * others by name. `calm` reverses the states.
 */
export type AgentOrder = AgentSort | 'trouble' | 'calm';

/** Matches all agents but deleted ones. */
export const NO_AGENT_FILTER: AgentFilter = {};

/** Clears all but the time at which the agents are shown. */
export const clearAgentFilter = ({ at }: AgentFilter): AgentFilter => withChange(NO_AGENT_FILTER, { at });

/** Returns whether the filter narrows the agents. */
export const isNarrowed = (filter: AgentFilter): boolean => Object.keys(clearedOfTime(filter)).length > 0;

const clearedOfTime = (filter: AgentFilter): AgentFilter => withChange(filter, { at: undefined });

/** States that need attention. */
export const AWAY: readonly AgentState[] = ['offline', 'pending', 'inactive'];

/** The same as the value of a filter. */
export const AWAY_STATES = AWAY.join(',');

/** Groups of states by urgency. */
const RANKS: readonly (readonly AgentState[])[] = [AWAY, ['online'], ['deleted']];

/** Returns the states that pass a filter. */
export const statesOf = ({ state, include_deleted: deleted }: AgentFilter): readonly AgentState[] =>
  state === undefined
    ? AGENT_STATES.filter((one) => one !== 'deleted' || deleted === true)
    : AGENT_STATES.filter((one) => state.split(',').includes(one));

/** Splits a filter into parts that are read one after the other, each with its own order. */
export function partsOf(
  filter: AgentFilter,
  order: AgentOrder,
): { readonly filter: AgentFilter; readonly sort: AgentSort }[] {
  if (order !== 'trouble' && order !== 'calm') return [{ filter, sort: order }];
  const states = statesOf(filter);
  return (order === 'calm' ? RANKS.toReversed() : RANKS).flatMap((rank) => {
    const ranked = rank.filter((state) => states.includes(state));
    if (ranked.length === 0) return [];
    const sort: AgentSort = rank.includes('online') ? 'hostname' : '-state_since';
    return [{ filter: setStates(filter, ranked), sort }];
  });
}

/** Returns the filter with other states. Deleted agents need a flag of their own. */
export const setStates = (filter: AgentFilter, states: readonly string[]): AgentFilter =>
  withChange(filter, {
    state: states.join(','),
    include_deleted: states.includes('deleted') ? true : filter.include_deleted,
  });

const toggled = (values: readonly string[], value: string): string[] =>
  values.includes(value) ? values.filter((other) => other !== value) : [...values, value];

const listed = (text: string | undefined): string[] => (text === undefined ? [] : text.split(','));

export const AGENT_FLAGS = ['bad_kernel', 'cloned', 'maintenance'] as const;

/** Names of the flags. */
export const FLAG_WORDS = { bad_kernel: 'bad kernel', cloned: 'cloned', maintenance: 'maintenance' } as const;

/** Toggles a value of a facet in a filter. */
export function toggleAgentFacet(filter: AgentFilter, facet: string, key: string): AgentFilter {
  switch (facet) {
    case 'state':
      return setStates(filter, toggled(listed(filter.state), key));
    case 'env':
      return withChange(filter, { env: filter.env === key ? undefined : key });
    case 'kernel':
      return withChange(filter, { kernel: filter.kernel === key ? undefined : key });
    case 'label':
      return withChange(filter, { label: toggled(listed(filter.label), key).join(',') });
    case 'flag': {
      const flag = AGENT_FLAGS.find((one) => one === key);
      return flag === undefined ? filter : withChange(filter, { [flag]: filter[flag] === true ? undefined : true });
    }
    default:
      return filter;
  }
}

export const AGENT_ARGUMENTS: KnownArguments = {
  state: (value) =>
    value === 'away' || listed(value).every((state) => (AGENT_STATES as readonly string[]).includes(state)),
  ...Object.fromEntries(
    ['env', 'label', 'kernel', ...AGENT_FLAGS, 'deleted', 'host', 'at'].map((name) => [name, anyValue]),
  ),
  id: isNumber,
};

/**
 * Builds a filter from the arguments of `:agents`: `env=vm`, `state=offline`, `label=site=north`, a text in the filter
 * language.
 */
export function agentFilterFor(args: Readonly<Record<string, string>>, text: string | undefined): AgentFilter {
  const states = listed(args['state'] === 'away' ? AWAY_STATES : args['state']).filter((state) =>
    (AGENT_STATES as readonly string[]).includes(state),
  );
  const { host = '' } = args;
  const flags = Object.fromEntries(AGENT_FLAGS.map((flag) => [flag, args[flag] === undefined ? undefined : true]));
  return setStates(
    withChange(NO_AGENT_FILTER, {
      env: args['env'],
      label: args['label'],
      kernel: args['kernel'],
      ...flags,
      include_deleted: args['deleted'] === undefined ? undefined : true,
      filter: text ?? (host === '' ? undefined : quoteText(host)),
    }),
    states,
  );
}

/** Describes a filter, one phrase for each part but the text. */
export function describeAgentFilter(filter: AgentFilter): string[] {
  const { state, env, label, kernel, include_deleted: deleted } = filter;
  return [
    ...(state === undefined ? [] : [state === AWAY_STATES ? 'away' : clean(state.replaceAll(',', ' or '))]),
    ...(env === undefined ? [] : [`env ${clean(env)}`]),
    ...(label === undefined ? [] : [clean(label.replaceAll(',', ' and '))]),
    ...(kernel === undefined ? [] : [`kernel ${clean(kernel)}`]),
    ...AGENT_FLAGS.flatMap((flag) => (filter[flag] === true ? [FLAG_WORDS[flag]] : [])),
    ...(deleted === true && state === undefined ? ['including deleted'] : []),
  ];
}

/** Describes a filter with its text, as a sentence of a question. */
export const agentFilterText = (filter: AgentFilter): string => {
  const words = [...describeAgentFilter(filter), ...(filter.filter === undefined ? [] : [clean(filter.filter)])];
  return words.length === 0 ? 'All agents.' : `Agents matching: ${words.join(', ')}.`;
};

/** The path that lists the agents of a filter. */
export function agentsPath(filter: AgentFilter): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...filter, _pagesize: 1000, detail: 1 })) {
    query.set(name, value === true ? '1' : String(value));
  }
  return `/api/agents?${query}`;
}

/** The time at which the agents are shown, in words; undefined for now. */
export const atText = ({ at }: AgentFilter, nowMs: number): string | undefined =>
  at === undefined ? undefined : `at ${momentText(at, nowMs)}`;
