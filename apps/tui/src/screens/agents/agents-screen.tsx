// The agents: filtered by the server, everything about the selected one, changes of one or many.
import { type AgentEvent, can, contract } from '@quarterdeck/core';
import type { Agent } from '@quarterdeck/sdk';
import { subjectOf } from '@quarterdeck/views/actions';
import {
  AGENT_ARGUMENTS,
  type AgentFilter,
  agentFilterFor,
  agentHistory,
  agentLogs,
  agentVitals,
  atText,
  NO_AGENT_FILTER,
  outageMessage,
} from '@quarterdeck/views/agents';
import { argumentsProblem, withChange } from '@quarterdeck/views/filters';
import { useOpenOutage, useRowQuery } from '@quarterdeck/views/react';
import { hasData, staleMessage } from '@quarterdeck/views/reads';
import { clean } from '@quarterdeck/views/text';
import { parseMoment } from '@quarterdeck/views/times';
import { type ReactElement, useCallback, useEffect, useState } from 'react';
import { ScreenFrame } from '../../components/frame/screen-frame.tsx';
import type { Detail } from '../../components/list/detail-lines.ts';
import { ListBody } from '../../components/list/list-body.tsx';
import type { List } from '../../components/list/use-list.ts';
import { useDashboard } from '../../context/dashboard.ts';
import { detailCrumbs } from '../list/list-screen.tsx';
import { useArrival, useSelectById } from '../list/use-arrival.ts';
import { type AgentPane, type AgentReads, agentLines } from './agent-panes.ts';
import { agentChips, isColumnField } from './agents-view.ts';
import { EmptyAgents } from './empty-agents.tsx';
import { type AgentList, useAgentList } from './use-agent-list.ts';
import { useAgentsKeys } from './use-agents-keys.ts';

const EVERY_MS = 10_000;
/** Vitals are kept by the minute. */
const VITALS_EVERY_MS = 60_000;

/** Reads what the open pane shows, up to the time `at` if there is one. */
function useAgentReads(agent: Agent | undefined, pane: AgentPane, active: boolean, at: number | undefined): AgentReads {
  const { client, me, now } = useDashboard();
  const { id, hostname = '' } = agent ?? {};
  const history = useCallback(
    (signal: AbortSignal) => agentHistory(client, id ?? 0, at ?? Infinity, signal),
    [client, id, at],
  );
  const vitals = useCallback(
    (signal: AbortSignal) => agentVitals(client, id ?? 0, at ?? Math.floor(now() / 1000), signal),
    [client, id, at, now],
  );
  const logs = useCallback(
    (signal: AbortSignal) => agentLogs(client, { id: id ?? 0, hostname }, at, signal),
    [client, id, hostname, at],
  );
  const maySeeLogs = can(subjectOf(me), contract.errlog.list.access);
  return {
    history: useRowQuery(id, history, { active: active && pane === 'history', everyMs: EVERY_MS }),
    vitals: useRowQuery(id, vitals, { active: active && pane === 'vitals', everyMs: VITALS_EVERY_MS }),
    logs: useRowQuery(id, logs, { active: active && maySeeLogs && pane === 'logs', everyMs: EVERY_MS }),
    maySeeLogs,
  };
}

/** Applies the arguments of a visit; an agent that is asked for by its id is opened once it is read. */
function useAgentsArrival(list: List<Agent>, present: AgentFilter, setFilter: (filter: AgentFilter) => void): void {
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
