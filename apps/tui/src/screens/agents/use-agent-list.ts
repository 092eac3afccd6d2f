// The list of the agents: pages from the server, counts, columns and facets.
import type { AgentTotals } from '@quarterdeck/core';
import type { Agent } from '@quarterdeck/sdk';
import { useEffect, useMemo, useState } from 'react';
import { useFrame } from '../../components/frame/screen-frame.tsx';
import { type List, useList } from '../../components/list/use-list.ts';
import type { AgentFilter, AgentOrder } from '../../data/agent-filter.ts';
import { useDashboard } from '../../data/dashboard.ts';
import type { Query } from '../../data/query.ts';
import { useAgents, useAgentTotals } from '../../data/use-agents.ts';
import { useNow } from '../../data/use-now.ts';
import { agentColumns, agentGroups, agentWidths, orderOf } from './agents-view.ts';

/** Interval at which ages are renewed, milliseconds: a column that changes each second would distract. */
const AGES_EVERY_MS = 5_000;

/** The list and what is known about all of its agents. */
export interface AgentList {
  readonly list: List<Agent>;
  readonly query: Query<unknown>;
  /** Agents on the server that pass the filter. */
  readonly total: number;
  readonly totals: AgentTotals | undefined;
  readonly order: AgentOrder;
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

/** Reads the agents that pass the filter while the screen is visible. */
export function useAgentList(filter: AgentFilter, visible: boolean): AgentList {
  const { width, height } = useFrame();
  const { now } = useDashboard();
  const choices = useListChoices();
  const order = orderOf(choices.sort);
  const { rows, total, query, refresh, more } = useAgents(filter, order, visible);
  const { totals, refresh: recount } = useAgentTotals(filter, choices.facetsOpen, visible);
  const nowMs = useNow(now, query.status === 'stale' ? 1000 : AGES_EVERY_MS, visible);
  const widths = useMemo(() => agentWidths(rows), [rows]);
  const columns = useMemo(() => agentColumns(widths, nowMs), [widths, nowMs]);
  const groups = useMemo(() => (totals === undefined ? [] : agentGroups(totals, filter)), [totals, filter]);
  const list = useList<Agent>({ name: 'agents', rows, columns, groups, width, height, isServed: true });
  choices.update(list.state);
  const isNearEnd = list.position.index + 2 * height >= rows.length;
  useEffect(() => {
    if (visible && isNearEnd) more();
  }, [visible, isNearEnd, more]);
  return {
    list,
    query,
    total: Math.max(total, rows.length),
    totals,
    order,
    nowMs,
    refresh() {
      refresh();
      recount();
    },
  };
}
