// The keys of the agents.
import type { Detail } from '../../components/list/detail-lines.ts';
import type { ListExtras } from '../../components/list/list-context.ts';
import { NO_AGENT_FILTER, toggleAgentFacet } from '../../data/agent-filter.ts';
import { agentValueCounts, allAgents } from '../../data/agents.ts';
import { type Dashboard, useDashboard } from '../../data/dashboard.ts';
import { withChange } from '../../data/filter.ts';
import { curlOf } from '../../data/requests.ts';
import { detailRows } from '../list/list-screen.tsx';
import { useListCommands } from '../list/use-list-commands.ts';
import { type AgentsState, agentsCommands } from './agents-commands.ts';
import { isSortable } from './agents-view.ts';
import type { AgentList } from './use-agent-list.ts';
import { useOpenLater } from './use-open-later.ts';

/** The functions of the list that the server does: filter, order, counts, export. */
function servedExtras(
  { list, order, refresh }: AgentList,
  { filter, setFilter }: AgentsState,
  { client, profile, say }: Dashboard,
): Partial<ListExtras> {
  return {
    refresh,
    onFilter: (text) => setFilter(withChange(filter, { q: text })),
    onFacet: (facet, key) => setFilter(toggleAgentFacet(filter, facet, key)),
    onSort(id) {
      if (isSortable(id)) list.act({ type: 'sort', id });
      else {
        const text = 'The server sorts by state, host, time of the last report, kernel and agent version.';
        say({ tone: 'notice', text });
      }
    },
    isSortable,
    frequency: (column) => agentValueCounts(client, filter, column),
    curl: curlOf({ method: 'GET', url: `${profile.consoleUrl ?? profile.url}/api/agents?_pagesize=1000&detail=1` }),
    all: () => allAgents(client, filter, order),
    searches: 'searches host, node, address, note and labels, on the server',
  };
}

/** Binds the keys while the screen is visible. */
export function useAgentsKeys(
  model: AgentList,
  state: AgentsState,
  { detail, visible }: { readonly detail: Detail | undefined; readonly visible: boolean },
): void {
  const dashboard = useDashboard();
  const openLater = useOpenLater();
  const { list, refresh } = model;
  const { client, profile } = dashboard;
  const onChanged = (): void => {
    list.act({ type: 'unmark' });
    refresh();
  };
  const isFiltered = Object.keys(state.filter).length > 0;
  useListCommands('agents', list, {
    visible,
    extras: { ...servedExtras(model, state, dashboard), detail, detailRows: detailRows(list, detail) },
    own: agentsCommands(list, dashboard, { ...state, openLater, actions: { client, profile, onChanged } }),
    clear: isFiltered ? () => state.setFilter(NO_AGENT_FILTER) : undefined,
  });
}
