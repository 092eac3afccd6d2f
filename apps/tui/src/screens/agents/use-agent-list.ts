// The list of the agents: pages from the server, counts, columns and facets.
import type { AgentTotals } from '@quarterdeck/core';
import { AGENT_FIELDS, agentFields, type FieldNames } from '@quarterdeck/core/filter';
import type { Agent } from '@quarterdeck/sdk';
import { type AgentFilter, isNarrowed } from '@quarterdeck/views/agents';
import { useAgents, useAgentTotals, useNow } from '@quarterdeck/views/react';
import type { Query } from '@quarterdeck/views/reads';
import { useMemo, useState } from 'react';
import { useFrame } from '../../components/frame/screen-frame.tsx';
import { type List, useList } from '../../components/list/use-list.ts';
import { useDashboard } from '../../context/dashboard.ts';
import { agentColumns, agentGroups, agentWidths, orderOf } from './agents-view.ts';

/** Interval at which ages are renewed, milliseconds: a column that changes each second would distract. */
const AGES_EVERY_MS = 5_000;

/** The list and what is known about all of its agents. */
export interface AgentList {
  readonly list: List<Agent>;
  /** Names that filters know. */
  readonly names: FieldNames;
  readonly query: Query<unknown>;
  /** Agents on the server that pass the filter. */
  readonly total: number;
  readonly totals: AgentTotals | undefined;
  /** The time at which the agents are shown, Unix milliseconds. */
  readonly nowMs: number;
  /** Reads agents and counts again. */
  readonly refresh: () => void;
}

/** Sort order and facets as chosen; they are needed before the rows are read, and lag one render behind the list. */
function useListChoices() {
  const { store } = useDashboard();
  const [choices, setChoices] = useState(() => {
    const kept = store.get().lists['agents'];
    return { sort: kept?.sort ?? [], facetsOpen: kept?.facetsOpen === true };
  });
  const update = ({ sort, facetsOpen }: List<Agent>['state']): void => {
    if (sort !== choices.sort || facetsOpen !== choices.facetsOpen) setChoices({ sort, facetsOpen });
  };
  return { ...choices, update };
}

/** Returns the names that filters know. Labels need no `label.` once the counts of all agents have named them. */
function useFieldNames(totals: AgentTotals | undefined, filter: AgentFilter): FieldNames {
  const [known, setKnown] = useState<{ readonly key: string; readonly names: FieldNames }>();
  if (totals !== undefined && !isNarrowed(filter)) {
    const labels = new Set(totals.labels.map(({ value }) => value.split('=', 1)[0] ?? ''));
    const key = [...labels].sort().join();
    if (known?.key !== key) setKnown({ key, names: agentFields((name) => labels.has(name)) });
  }
  return known?.names ?? AGENT_FIELDS;
}

/** Reads the agents that pass the filter while the screen is visible. */
export function useAgentList(filter: AgentFilter, visible: boolean): AgentList {
  const { width, height } = useFrame();
  const { now } = useDashboard();
  const choices = useListChoices();
  const order = orderOf(choices.sort);
  const { rows, partial, query, refresh } = useAgents(filter, order, visible);
  const { totals, refresh: recount } = useAgentTotals(filter, choices.facetsOpen, visible);
  const presentMs = useNow(now, query.status === 'stale' ? 1000 : AGES_EVERY_MS, visible && filter.at === undefined);
  const nowMs = filter.at === undefined ? presentMs : filter.at * 1000;
  const widths = useMemo(() => agentWidths(rows), [rows]);
  const columns = useMemo(() => agentColumns(widths, nowMs), [widths, nowMs]);
  const groups = useMemo(() => (totals === undefined ? [] : agentGroups(totals, filter)), [totals, filter]);
  const names = useFieldNames(totals, filter);
  const list = useList<Agent>({
    name: 'agents',
    rows,
    columns,
    groups,
    width,
    height,
    isServed: true,
    partial,
    names,
  });
  choices.update(list.state);
  return {
    list,
    names,
    query,
    total: list.extent.length,
    totals,
    nowMs,
    refresh() {
      refresh();
      recount();
    },
  };
}
