// Columns, facets and chips of the agents. Pure.

import { AGENT_STATES, type AgentTotals } from '@quarterdeck/core';
import type { Agent } from '@quarterdeck/sdk';
import {
  AGENT_FLAGS,
  type AgentFilter,
  type AgentOrder,
  describeAgentFilter,
  FLAG_WORDS,
  remarkCell,
  stateOf,
  stateWord,
} from '@quarterdeck/views/agents';
import { age, clean, grouped, shortTime, signed, versionText } from '@quarterdeck/views/text';
import type { Column } from '../../components/list/column.ts';
import { filterChips } from '../../components/list/filter-chips.ts';
import type { FacetGroup } from '../../components/list/list-filter.ts';
import type { Run } from '../../theme/lines.ts';
import { widest } from '../list/columns.ts';
import { labelsText } from '../shared/agent-labels.ts';

const seen = ({ last_reported }: Agent, nowMs: number): string =>
  last_reported === 0 ? 'never' : age(nowMs / 1000 - last_reported);

/** A column as the server knows it. */
interface ServedColumn {
  /** The field of an agent, which has a `?` where its value of an earlier time is not known. */
  readonly field?: string;
  readonly filter?: Column<Agent>['field'];
  readonly orders?: readonly [up: AgentOrder, down: AgentOrder];
}

const SERVED: Readonly<Record<string, ServedColumn>> = {
  state: { field: 'state', filter: { name: 'state', value: stateOf }, orders: ['trouble', 'calm'] },
  host: { field: 'hostname', filter: { name: 'host' }, orders: ['hostname', '-hostname'] },
  seen: { field: 'last_reported', orders: ['-last_reported', 'last_reported'] },
  ip: { field: 'ip', filter: { name: 'address' } },
  env: { field: 'env', filter: { name: 'env' } },
  kernel: { field: 'system_version.kernel', filter: { name: 'kernel' }, orders: ['kernel', '-kernel'] },
  distribution: { field: 'system_version.kernel_distro', filter: { name: 'distribution' } },
  version: {
    field: 'package.version',
    filter: { name: 'version', value: ({ package: { version } }) => String(version) },
    orders: ['package', '-package'],
  },
  labels: { field: 'labels' },
  since: { orders: ['state_since', '-state_since'] },
  created: { orders: ['created', '-created'] },
  node: { filter: { name: 'node' } },
};

/** Returns whether a column shows the field. */
export const isColumnField = (field: string): boolean => Object.values(SERVED).some((served) => served.field === field);

/**
 * Lets a column filter by its values, and marks those that are not known of the time that is shown. The host stays, so
 * that the row has a name.
 */
function served(column: Column<Agent>): Column<Agent> {
  const { field, filter } = SERVED[column.id] ?? {};
  return {
    ...column,
    ...(filter === undefined ? {} : { field: filter }),
    cell(agent) {
      const isUnknown = field !== undefined && agent.unknown?.includes(field) === true;
      if (!isUnknown) return column.cell(agent);
      return { text: column.id === 'host' ? `${column.cell(agent).text} ?` : '?', tone: 'muted' };
    },
  };
}

/** Widths at which the columns show everything. */
export interface AgentWidths {
  readonly host: number;
  readonly ip: number;
  readonly env: number;
  readonly kernel: number;
  readonly distribution: number;
  readonly version: number;
  /** These two are 0, and have no column, where no agent has any. */
  readonly remarks: number;
  readonly labels: number;
}

/** Measures all agents, so that scrolling changes no column. */
export function agentWidths(agents: readonly Agent[]): AgentWidths {
  const of = (text: (agent: Agent) => string, least: number, most: number): number => widest(agents, text, least, most);
  const some = (text: (agent: Agent) => string, least: number, most: number): number =>
    agents.some((agent) => text(agent) !== '') ? of(text, least, most) : 0;
  return {
    host: of(({ hostname }) => hostname, 8, 40),
    ip: of(({ ip }) => ip, 7, 15),
    env: of(({ env }) => env, 4, 10),
    kernel: of(({ system_version }) => system_version.kernel, 10, 32),
    distribution: of(({ system_version }) => system_version.kernel_distro, 12, 28),
    version: of(({ package: { version } }) => versionText(version), 6, 12),
    remarks: some((agent) => remarkCell(agent).text, 9, 48),
    labels: some(({ labels = {} }) => labelsText(labels), 10, 48),
  };
}

/** A column that grows until its widest text is whole; none where no agent has any. */
const growing = (
  id: string,
  title: string,
  [usual, max]: readonly [usual: number, max: number],
  rest: Omit<Column<Agent>, 'id' | 'title' | 'width' | 'max'>,
): Column<Agent>[] => (max === 0 ? [] : [{ id, title, width: Math.min(max, usual), max, ...rest }]);

export const agentColumns = (widths: AgentWidths, nowMs: number): Column<Agent>[] =>
  knownColumns(widths, nowMs).map(served);

function knownColumns(widths: AgentWidths, nowMs: number): Column<Agent>[] {
  return [
    { id: 'state', title: 'State', width: 10, pinned: true, cell: (agent) => signed(stateWord(stateOf(agent))) },
    ...growing('host', 'Host', [16, widths.host], {
      grow: 3,
      pinned: true,
      searched: true,
      cell: ({ hostname }) => ({ text: hostname }),
    }),
    {
      id: 'seen',
      title: 'Seen',
      width: 5,
      align: 'right',
      cell: (agent) => ({ text: seen(agent, nowMs), tone: agent.online ? 'muted' : 'plain' }),
    },
    ...growing('remarks', 'Remarks', [14, widths.remarks], { grow: 3, drop: 2, cell: remarkCell }),
    { id: 'ip', title: 'IP', width: widths.ip, drop: 4, searched: true, cell: ({ ip }) => ({ text: ip }) },
    { id: 'env', title: 'Env', width: widths.env, drop: 5, cell: ({ env }) => ({ text: env, tone: 'muted' }) },
    {
      id: 'kernel',
      title: 'Kernel',
      width: 16,
      grow: 2,
      max: widths.kernel,
      drop: 3,
      cell: ({ system_version, bad_kernel }) => ({
        text: system_version.kernel,
        ...(bad_kernel ? { tone: 'warning' as const } : {}),
      }),
    },
    {
      id: 'distribution',
      title: 'Distribution',
      width: 12,
      grow: 2,
      max: widths.distribution,
      drop: 7,
      cell: ({ system_version }) => ({ text: system_version.kernel_distro, tone: 'muted' }),
    },
    {
      id: 'version',
      title: 'Agent',
      width: widths.version,
      align: 'right',
      drop: 8,
      cell: ({ package: { version } }) => ({ text: versionText(version), tone: 'muted' }),
    },
    ...growing('labels', 'Labels', [16, widths.labels], {
      grow: 2,
      drop: 6,
      searched: true,
      cell: ({ labels: own = {} }) => ({ text: labelsText(own), tone: 'muted' }),
    }),
    {
      id: 'since',
      title: 'Since',
      width: 12,
      drop: 9,
      optional: true,
      cell: ({ state_since: since = 0 }) => ({ text: since === 0 ? '' : shortTime(since, nowMs), tone: 'muted' }),
    },
    {
      id: 'created',
      title: 'Registered',
      width: 12,
      drop: 10,
      optional: true,
      cell: ({ created }) => ({ text: shortTime(created, nowMs), tone: 'muted' }),
    },
    { id: 'node', title: 'Node', width: 16, drop: 11, optional: true, cell: ({ node_id }) => ({ text: node_id }) },
  ];
}

/** True for a column that the server can sort by. */
export const isSortable = (column: string): boolean => SERVED[column]?.orders !== undefined;

/** The server's order for the order of the list. */
export function orderOf(sort: readonly { readonly id: string; readonly down: boolean }[]): AgentOrder {
  const [key] = sort;
  const orders = key === undefined ? undefined : SERVED[key.id]?.orders;
  return orders?.[key?.down === true ? 1 : 0] ?? 'trouble';
}

/** Marks, filters, counts and position, the most important first. */
export function agentChips(
  totals: AgentTotals | undefined,
  filter: AgentFilter,
  place: {
    readonly marked: number;
    readonly ranging: boolean;
    readonly index: number;
    readonly total: number;
    /** Some values of that time are not known. */
    readonly hasUnknown: boolean;
    /** The time at which the agents are shown; undefined = now. */
    readonly at: string | undefined;
    /** A remark about the text of the filter. */
    readonly note: string;
  },
): Run[] {
  const of = (state: string): number => totals?.states.find((one) => one.state === state)?.count ?? 0;
  const [online, offline] = [of('online'), of('offline')];
  const { marked, ranging, index, total, hasUnknown, at, note } = place;
  return [
    ...(at === undefined ? [] : [{ text: at, tone: 'warning' as const }]),
    ...(hasUnknown ? [{ text: '? not known then', tone: 'muted' as const }] : []),
    ...(ranging ? [{ text: 'range', tone: 'accent' as const }] : []),
    ...(marked > 0 ? [{ text: `${grouped(marked)} marked`, tone: 'accent' as const }] : []),
    ...(filter.filter === undefined ? [] : filterChips({ words: filter.filter, note }, `/${clean(filter.filter)}`)),
    ...describeAgentFilter(filter).map((words): Run => ({ text: `[${words}]`, tone: 'notice' })),
    ...(offline > 0 ? [{ text: `${grouped(offline)} offline`, tone: 'bad' as const }] : []),
    ...(online > 0 ? [{ text: `${grouped(online)} online`, tone: 'good' as const }] : []),
    ...(index < 0 ? [] : [{ text: `${grouped(index + 1)} of ${grouped(total)}`, tone: 'muted' as const }]),
  ];
}

/** The facets with the counts of the server. */
export function agentGroups(totals: AgentTotals, filter: AgentFilter): FacetGroup[] {
  const states = filter.state?.split(',') ?? [];
  const labels = filter.label?.split(',') ?? [];
  const single = (id: string, title: string, counted: AgentTotals['envs'], chosen: string | undefined): FacetGroup => ({
    id,
    title,
    values: counted.map(({ value, count }) => ({ value, count, chosen: value === chosen })),
  });
  const all: FacetGroup[] = [
    {
      id: 'state',
      title: 'State',
      values: AGENT_STATES.flatMap((state) => {
        const count = totals.states.find((one) => one.state === state)?.count ?? 0;
        const chosen = states.includes(state);
        return count === 0 && !chosen ? [] : [{ value: signed(stateWord(state)).text, key: state, count, chosen }];
      }),
    },
    single('env', 'Environment', totals.envs, filter.env),
    {
      id: 'label',
      title: 'Label',
      values: totals.labels.map(({ value, count }) => ({
        value: value.replace(/=$/, ''),
        key: value,
        count,
        chosen: labels.includes(value),
      })),
    },
    {
      id: 'flag',
      title: 'Flag',
      values: AGENT_FLAGS.flatMap((flag) =>
        totals[flag] === 0 && filter[flag] !== true
          ? []
          : [{ value: FLAG_WORDS[flag], key: flag, count: totals[flag], chosen: filter[flag] === true }],
      ),
    },
    single('kernel', 'Kernel', totals.kernels, filter.kernel),
  ];
  return all.filter(({ values }) => values.length > 0);
}
