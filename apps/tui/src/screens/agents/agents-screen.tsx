// The agents: list by filters of the server, everything about the selected one, changes of one or many.
import type { Agent } from '@quarterdeck/sdk';
import { type ReactElement, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { argumentsProblem } from '../../commands/arguments.ts';
import type { Dialog } from '../../components/dialog/dialog.ts';
import { BODY_TOP } from '../../components/frame/geometry.ts';
import { ScreenFrame, useFrame } from '../../components/frame/screen-frame.tsx';
import type { Detail } from '../../components/list/detail-lines.ts';
import { ListBody } from '../../components/list/list-body.tsx';
import { closeNext, type ListExtras, listCommands } from '../../components/list/list-commands.ts';
import { listMouse } from '../../components/list/list-mouse.ts';
import { detailRows } from '../../components/list/list-screen.tsx';
import { useList } from '../../components/list/use-list.ts';
import {
  AGENT_ARGUMENTS,
  type AgentFilter,
  agentFilterFor,
  chooseAgents,
  EVERY_AGENT,
} from '../../data/agent-filter.ts';
import { agentFrequencies, allAgents } from '../../data/agents.ts';
import { useDashboard } from '../../data/dashboard.ts';
import { withChange } from '../../data/filter.ts';
import { outageMessage } from '../../data/outage-message.ts';
import { usePresentOutage } from '../../data/outages.ts';
import { curlOf } from '../../data/requests.ts';
import { staleMessage } from '../../data/stale.ts';
import { useAgents, useAgentTotals } from '../../data/use-agents.ts';
import { useNow } from '../../data/use-now.ts';
import { useCommands } from '../../keys/use-commands.ts';
import { clean } from '../../text/clean.ts';
import { type AgentPane, agentLines } from './agent-panes.ts';
import { agentsCommands, failed } from './agents-commands.ts';
import { agentChips, agentColumns, agentGroups, agentWidths, isSortable, orderOf } from './agents-view.ts';
import { EmptyAgents } from './empty-agents.tsx';
import { useAgentReads } from './use-agent-reads.ts';

/** Ages go on in steps: a column of numbers that all change each second would draw the eye for nothing. */
const AGES_EVERY_MS = 5_000;

/** The screen; while it is not visible nothing is read, and what is known is kept. */
export function AgentsScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { width, height } = useFrame();
  const dashboard = useDashboard();
  const { client, now, profile, navigation, store, open, say } = dashboard;
  const [filter, setFilter] = useState<AgentFilter>(EVERY_AGENT);
  const [pane, setPane] = useState<AgentPane>('summary');
  /** An agent that somebody wants to see, until it is there. */
  const [wanted, setWanted] = useState<number | null>(null);
  // What of the list's state has to be known before its rows are read.
  const [choices, setChoices] = useState(() => {
    const kept = store.get().lists['agents'];
    return { sort: kept?.sort ?? [], facetsOpen: kept?.facetsOpen === true };
  });
  const model = useAgents(filter, orderOf(choices.sort), visible);
  const { rows, total, query, refresh, more } = model;
  const { totals, refresh: recount } = useAgentTotals(filter, choices.facetsOpen, visible);
  const outage = usePresentOutage(visible);
  const nowMs = useNow(now, query.status === 'stale' ? 1000 : AGES_EVERY_MS, visible);
  const widths = useMemo(() => agentWidths(rows), [rows]);
  const columns = useMemo(() => agentColumns(widths, nowMs), [widths, nowMs]);
  const groups = useMemo(() => (totals === undefined ? [] : agentGroups(totals, filter)), [totals, filter]);
  const list = useList<Agent>({ name: 'agents', rows, columns, groups, width, height, isServed: true });
  const { sort, facetsOpen } = list.state;
  if (sort !== choices.sort || facetsOpen !== choices.facetsOpen) setChoices({ sort, facetsOpen });
  const { selected } = list;
  const reads = useAgentReads(selected, pane, visible && list.state.detail !== 'closed');

  const isNearEnd = list.spot.index + 2 * height >= rows.length;
  useEffect(() => {
    if (visible && isNearEnd) more();
  }, [visible, isNearEnd, more]);
  const at = wanted === null ? -1 : list.ids.indexOf(wanted);
  useEffect(() => {
    if (at === -1) return;
    list.mover.to(at);
    list.act({ type: 'detail', detail: 'open' });
    setWanted(null);
  }, [at, list]);

  const detail: Detail | undefined =
    selected === undefined
      ? undefined
      : {
          title: clean(selected.hostname),
          lines: (columnsWide) => agentLines(pane, selected, reads, nowMs, columnsWide),
        };
  const renew = (): void => {
    refresh();
    recount();
  };
  const extras: ListExtras = {
    detailRows: detailRows(list, detail),
    detail,
    refresh: renew,
    onFilter: (text) => setFilter(withChange(filter, { q: text })),
    onFacet: (facet, key) => setFilter(chooseAgents(filter, facet, key)),
    onSort: (id) => {
      if (isSortable(id)) list.act({ type: 'sort', id });
      else
        say({
          tone: 'notice',
          text: 'The server sorts by state, host, time of the last report, kernel and agent version.',
        });
    },
    isSortable,
    frequency: (column) => agentFrequencies(client, filter, column),
    curl: curlOf({ method: 'GET', url: `${profile.consoleUrl ?? profile.url}/api/agents?_pagesize=1000&detail=1` }),
    all: () => allAgents(client, filter, orderOf(sort)),
    searches: 'searches host, node, address, note and labels, on the server',
  };
  // What is open over the screen, and where one is, when an answer comes.
  const present = useRef({ dialog: dashboard.dialog, turn: navigation.turn });
  present.current = { dialog: dashboard.dialog, turn: navigation.turn };
  const openLater = (asked: Promise<Dialog>): void => {
    const { turn } = present.current;
    asked
      .then((dialog) => {
        if (present.current.dialog === null && present.current.turn === turn) open(dialog);
      })
      .catch(failed(dashboard));
  };
  const isFiltered = Object.keys(filter).length > 0;
  const close = closeNext(list, extras) ?? (isFiltered ? () => setFilter(EVERY_AGENT) : undefined);
  const shared = listCommands(list, dashboard, extras);
  useCommands(
    'agents',
    {
      ...shared,
      ...agentsCommands(list, dashboard, {
        filter,
        setFilter,
        pane,
        setPane,
        openLater,
        deeds: {
          client,
          profile,
          onChanged() {
            list.act({ type: 'unmark' });
            renew();
          },
        },
      }),
      ...(close === undefined ? {} : { close }),
    },
    { active: visible, onMouse: listMouse(list, { top: BODY_TOP, commands: shared, extras }) },
  );

  // What somebody wants to see here: once for each visit.
  const arrive = useEffectEvent(() => {
    const { target } = navigation;
    if (target.screen !== 'agents' || (target.args === undefined && target.text === undefined)) return;
    const { args = {}, text } = target;
    const problem = argumentsProblem(args, AGENT_ARGUMENTS);
    if (problem !== null) return say({ tone: 'warning', text: problem });
    const next = agentFilterFor(args, text);
    setFilter(next);
    list.act({ type: 'filter', text: next.q ?? '' });
    setWanted(/^\d+$/.test(args['id'] ?? '') ? Number(args['id']) : null);
  });
  // `turn` is what tells one visit from the next
  useEffect(() => arrive(), [navigation.turn]);
  if (!visible) return null;

  return (
    <ScreenFrame
      chips={agentChips(totals, filter, {
        marked: list.state.marks.size,
        ranging: list.state.range !== null,
        index: list.spot.index,
        total: Math.max(total, rows.length),
      })}
      crumbs={list.state.detail !== 'closed' && detail !== undefined ? [detail.title, pane] : []}
      standing={staleMessage(query, nowMs) ?? outageMessage(outage, nowMs)}
    >
      <ListBody
        list={list}
        detail={detail}
        empty={(columnsWide, rowsHigh) => (
          <EmptyAgents query={query} filter={filter} width={columnsWide} height={rowsHigh} />
        )}
      />
    </ScreenFrame>
  );
}
