// The keys of the agents.
import type { Agent } from '@quarterdeck/sdk';
import {
  type AgentFilter,
  agentFilterSource,
  agentsPath,
  agentValueCounts,
  clearAgentFilter,
  isNarrowed,
  toggleAgentFacet,
} from '@quarterdeck/views/agents';
import { withChange } from '@quarterdeck/views/filters';
import { waysToEnroll } from '@quarterdeck/views/lines';
import { curlOf } from '@quarterdeck/views/text';
import { sortableTitles } from '../../components/list/column.ts';
import type { Detail } from '../../components/list/detail-lines.ts';
import type { ListExtras } from '../../components/list/list-context.ts';
import { type Dashboard, useDashboard } from '../../context/dashboard.ts';
import type { Run } from '../../theme/lines.ts';
import { detailRows } from '../list/list-screen.tsx';
import { useListCommands } from '../list/use-list-commands.ts';
import { useOpenLater } from '../shared/use-open-later.ts';
import { type AgentsState, agentsCommands } from './agents-commands.ts';
import { isSortable } from './agents-view.ts';
import type { AgentList } from './use-agent-list.ts';

/** The functions of the list that the server does: filter, order, counts, export. */
function servedExtras(
  { list, names, refresh }: AgentList,
  { filter, setFilter }: AgentsState,
  { client, profile, say }: Dashboard,
): Partial<ListExtras> {
  return {
    refresh,
    onFilter: (text) => setFilter(withChange(filter, { filter: text })),
    onFacet: (facet, key) => setFilter(toggleAgentFacet(filter, facet, key)),
    onSort(id) {
      if (isSortable(id)) list.act({ type: 'sort', id });
      else {
        say({ tone: 'notice', text: `The server sorts by ${sortableTitles(list.allColumns, isSortable)}.` });
      }
    },
    isSortable,
    frequency: (column) => agentValueCounts(client, filter, column),
    curl: curlOf({ method: 'GET', url: `${profile.consoleUrl ?? profile.url}${agentsPath(filter)}` }),
    // The name finds the agent again.
    bookmark: ({ hostname: title }: Agent) => ({ title, timeS: 0 }),
    filterSource: agentFilterSource(client, filter, names),
  };
}

/** Binds the keys while the screen is visible. Returns the saved views as tabs. */
export function useAgentsKeys(
  model: AgentList,
  state: AgentsState,
  { detail, visible }: { readonly detail: Detail | undefined; readonly visible: boolean },
): readonly Run[] {
  const dashboard = useDashboard();
  const openLater = useOpenLater();
  const { list, refresh } = model;
  const { client, profile, recordUndo } = dashboard;
  const onChanged = (): void => {
    list.act({ type: 'unmark' });
    refresh();
  };
  const { filter, setFilter } = state;
  const narrowed = isNarrowed(filter) ? () => setFilter(clearAgentFilter(filter)) : undefined;
  const clear = filter.at === undefined ? narrowed : () => setFilter(withChange(filter, { at: undefined }));
  return useListCommands('agents', list, {
    visible,
    filter: { value: state.filter, set: (filter) => state.setFilter(filter as AgentFilter) },
    extras: {
      ...servedExtras(model, state, dashboard),
      detail,
      detailRows: detailRows(list, detail),
      ...(list.total === 0 && narrowed === undefined
        ? { ways: waysToEnroll(profile.url).map(({ command }) => command) }
        : {}),
    },
    own: agentsCommands(list, dashboard, { ...state, openLater, actions: { client, profile, recordUndo, onChanged } }),
    clear,
  });
}
