// The agents: filtered by the server, everything about the selected one, changes of one or many.
import { type ReactElement, useState } from 'react';
import { ScreenFrame } from '../../components/frame/screen-frame.tsx';
import type { Detail } from '../../components/list/detail-lines.ts';
import { ListBody } from '../../components/list/list-body.tsx';
import { type AgentFilter, NO_AGENT_FILTER } from '../../data/agent-filter.ts';
import { useDashboard } from '../../data/dashboard.ts';
import { outageMessage } from '../../data/outage-message.ts';
import { useOpenOutage } from '../../data/outages.ts';
import { staleMessage } from '../../data/stale.ts';
import { clean } from '../../text/clean.ts';
import { detailCrumbs } from '../list/list-screen.tsx';
import { type AgentPane, agentLines } from './agent-panes.ts';
import { agentChips } from './agents-view.ts';
import { EmptyAgents } from './empty-agents.tsx';
import { type AgentList, useAgentList } from './use-agent-list.ts';
import { useAgentReads } from './use-agent-reads.ts';
import { useAgentsArrival } from './use-agents-arrival.ts';
import { useAgentsKeys } from './use-agents-keys.ts';

function useAgentDetail({ list, nowMs }: AgentList, pane: AgentPane, visible: boolean): Detail | undefined {
  const { selected } = list;
  const reads = useAgentReads(selected, pane, visible && list.state.detail !== 'closed');
  if (selected === undefined) return undefined;
  return { title: clean(selected.hostname), lines: (width) => agentLines(pane, selected, reads, nowMs, width) };
}

/** The screen; while it is not visible it reads nothing and keeps its data. */
export function AgentsScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { keyOf } = useDashboard();
  const [filter, setFilter] = useState<AgentFilter>(NO_AGENT_FILTER);
  const [pane, setPane] = useState<AgentPane>('summary');
  const model = useAgentList(filter, visible);
  const { list, query, total, totals, nowMs } = model;
  const outage = useOpenOutage(visible);
  const detail = useAgentDetail(model, pane, visible);
  useAgentsKeys(model, { filter, setFilter, pane, setPane }, { detail, visible });
  useAgentsArrival(list, setFilter);
  if (!visible) return null;

  const crumbs = detailCrumbs(list, detail);
  return (
    <ScreenFrame
      chips={agentChips(totals, filter, {
        marked: list.state.marks.size,
        ranging: list.state.range !== null,
        index: list.position.index,
        total,
      })}
      crumbs={crumbs.length === 0 ? [] : [...crumbs, pane]}
      standing={staleMessage(query, nowMs) ?? outageMessage(outage, nowMs)}
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
