// The agents: filtered by the server, everything about the selected one, changes of one or many.
import type { AgentEvent } from '@quarterdeck/core';
import { type AgentFilter, atText, NO_AGENT_FILTER, outageMessage } from '@quarterdeck/views/agents';
import { useOpenOutage } from '@quarterdeck/views/react';
import { hasData, staleMessage } from '@quarterdeck/views/reads';
import { clean } from '@quarterdeck/views/text';
import { type ReactElement, useEffect, useState } from 'react';
import { ScreenFrame } from '../../components/frame/screen-frame.tsx';
import type { Detail } from '../../components/list/detail-lines.ts';
import { ListBody } from '../../components/list/list-body.tsx';
import { useDashboard } from '../../context/dashboard.ts';
import { detailCrumbs } from '../list/list-screen.tsx';
import { type AgentPane, agentLines } from './agent-panes.ts';
import { agentChips, isColumnField } from './agents-view.ts';
import { EmptyAgents } from './empty-agents.tsx';
import { type AgentList, useAgentList } from './use-agent-list.ts';
import { useAgentReads } from './use-agent-reads.ts';
import { useAgentsArrival } from './use-agents-arrival.ts';
import { useAgentsKeys } from './use-agents-keys.ts';

/** The details of the selected agent, and its history once the pane has read it. */
function useAgentDetail(
  { list, nowMs }: AgentList,
  pane: AgentPane,
  visible: boolean,
  at: number | undefined,
): { readonly detail: Detail | undefined; readonly history: readonly AgentEvent[] } {
  const { selected } = list;
  const { glyphs } = useDashboard();
  const reads = useAgentReads(selected, pane, visible && list.state.detail !== 'closed', at);
  if (selected === undefined) return { detail: undefined, history: [] };
  return {
    detail: {
      title: clean(selected.hostname),
      lines: (width) => agentLines(pane, selected, { reads, glyphs, nowMs }, width),
    },
    history: hasData(reads.history) ? reads.history.data : [],
  };
}

/** The screen; while it is not visible it reads nothing and keeps its data. */
export function AgentsScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { keyOf, now } = useDashboard();
  const [filter, setFilter] = useState<AgentFilter>(NO_AGENT_FILTER);
  const [pane, setPane] = useState<AgentPane>('summary');
  const model = useAgentList(filter, visible);
  const { list, query, total, totals, nowMs } = model;
  const isClosed = list.state.detail === 'closed';
  // The next details that are opened begin with the summary, whatever the last ones showed.
  useEffect(() => {
    if (isClosed) setPane('summary');
  }, [isClosed]);
  const outage = useOpenOutage(visible);
  const { detail, history } = useAgentDetail(model, pane, visible, filter.at);
  const views = useAgentsKeys(model, { filter, setFilter, pane, setPane, history }, { detail, visible });
  useAgentsArrival(list, filter, setFilter);
  if (!visible) return null;

  const crumbs = detailCrumbs(list, detail);
  return (
    <ScreenFrame
      chips={agentChips(totals, filter, {
        marked: list.state.marks.size,
        ranging: list.state.range !== null,
        index: list.position.index,
        total,
        hasUnknown: list.rows.some(({ unknown = [] }) => unknown.some(isColumnField)),
        at: atText(filter, now()),
        note: list.filter?.note ?? '',
      })}
      views={views}
      crumbs={crumbs.length === 0 ? [] : [...crumbs, pane]}
      standing={staleMessage(query, now()) ?? (filter.at === undefined ? outageMessage(outage, nowMs) : null)}
    >
      <ListBody
        list={list}
        detail={detail}
        empty={(width, height) => (
          <EmptyAgents query={query} filter={filter} keyOf={keyOf} width={width} height={height} />
        )}
      />
    </ScreenFrame>
  );
}
