// The commands of the agents' screen.
import type { ErrlogSource } from '@quarterdeck/core';
import type { Agent } from '@quarterdeck/sdk';
import type { List } from '../../components/list/use-list.ts';
import { type AgentFilter, AWAY_STATES, NO_AGENT_FILTER } from '../../data/agent-filter.ts';
import { agentSources } from '../../data/agents.ts';
import type { Dashboard } from '../../data/dashboard.ts';
import { failureOf } from '../../data/failure.ts';
import { withChange } from '../../data/filter.ts';
import type { Commands } from '../../keys/use-commands.ts';
import { chooseSource } from '../errlog/choose-source.ts';
import {
  type AgentActions,
  type AgentTarget,
  askPlain,
  type PLAIN_ACTIONS,
  partsOf,
  runAction,
} from './agent-actions.ts';
import { editDialog, editManyDialog, matchingDialog, noteDialog, operateDialog } from './agent-dialogs.ts';
import { showDiffs } from './agent-diffs.ts';
import { type AgentPane, stepPane } from './agent-panes.ts';
import { stateOf } from './agent-words.ts';

/** The state of the screen that its keys change. */
export interface AgentsState {
  readonly filter: AgentFilter;
  readonly setFilter: (filter: AgentFilter) => void;
  readonly pane: AgentPane;
  readonly setPane: (pane: AgentPane) => void;
}

/** The state of the screen, and its changes of agents. */
export interface AgentsView extends AgentsState {
  readonly actions: AgentActions;
  /** Opens a dialog that waits for an answer of the server. */
  readonly openLater: (dialog: ReturnType<typeof askPlain>) => void;
}

type Context = Pick<Dashboard, 'open' | 'say' | 'go' | 'fail'>;

/** Reports the error of a call. */
export const reportFailure =
  ({ say, fail }: Pick<Dashboard, 'say' | 'fail'>) =>
  (error: unknown): void => {
    fail(error);
    say({ tone: 'bad', text: failureOf(error).message });
  };

function filterCommands(selected: Agent | undefined, { filter, setFilter }: AgentsView) {
  const by = (change: Readonly<Record<string, unknown>>) => (): void => setFilter(withChange(filter, change));
  const toggled = (name: 'bad_kernel' | 'include_deleted') => by({ [name]: filter[name] === true ? undefined : true });
  return {
    away: by({ state: filter.state === AWAY_STATES ? undefined : AWAY_STATES }),
    withDeleted: toggled('include_deleted'),
    byBadKernel: toggled('bad_kernel'),
    clearFilter: Object.keys(filter).length === 0 ? undefined : () => setFilter(NO_AGENT_FILTER),
    ...(selected === undefined
      ? {}
      : {
          byState: by({ state: stateOf(selected) }),
          byEnv: by({ env: selected.env }),
          byKernel: by({ kernel: selected.system_version.kernel }),
        }),
  };
}

function changeCommands(list: List<Agent>, { open, say, fail }: Context, view: AgentsView) {
  const { chosen, selected } = list;
  const { actions, filter, openLater } = view;
  const all: AgentTarget = { kind: 'filter', filter };
  const target: AgentTarget = { kind: 'rows', agents: chosen };
  const deleted = chosen.filter((agent) => stateOf(agent) === 'deleted');
  const maintain = (): void => {
    // The state of the first one decides for all of them.
    const maintenance = chosen[0]?.maintenance !== true;
    const words = { verb: '', done: maintenance ? 'Maintenance is on for' : 'Maintenance is off for', lines: [] };
    runAction(target, partsOf(target, { action: 'update', maintenance }), words, actions)
      .then((outcome) => {
        if (typeof outcome === 'string') say({ tone: 'good', text: outcome });
        else if (outcome !== undefined) open(outcome);
      })
      .catch(reportFailure({ say, fail }));
  };
  const ask = (action: keyof typeof PLAIN_ACTIONS) => (): void => openLater(askPlain(action, target, actions));
  return {
    bulk: () => open(matchingDialog(all, actions)),
    ...(selected === undefined
      ? {}
      : {
          note: () => open(noteDialog(target, actions)),
          edit: () => open(chosen.length === 1 ? editDialog(selected, actions) : editManyDialog(target, actions)),
          maintenance: maintain,
          operate: () => open(operateDialog(target, actions)),
          remove: ask('delete'),
          restore: deleted.length === 0 ? undefined : ask('restore'),
          purge: deleted.length === 0 ? undefined : ask('purge'),
        }),
  };
}

/** Opens the error logs of an agent: of its only source, of a chosen one, or those that mention the host. */
function toLogs(
  { hostname }: Agent,
  sources: readonly ErrlogSource[],
  { go, open }: Pick<Dashboard, 'go' | 'open'>,
): void {
  if (sources.length === 0) go({ screen: 'errlog', text: hostname });
  else chooseSource(sources, open, (src) => go({ screen: 'errlog', args: { src: String(src) } }));
}

/** The commands of the screen. */
export function agentsCommands(list: List<Agent>, context: Context, view: AgentsView): Partial<Commands<'agents'>> {
  const { selected, state } = list;
  const { go } = context;
  const { pane, setPane, actions } = view;
  const step =
    (by: 1 | -1) =>
    (times: number): void => {
      if (state.detail === 'closed') list.act({ type: 'detail', detail: 'open' });
      setPane(stepPane(pane, by * times));
      // A new pane starts at its top.
      if (selected !== undefined) list.act({ type: 'scroll', id: selected.id, to: 0 });
    };
  return {
    ...filterCommands(selected, view),
    ...changeCommands(list, context, view),
    ...(selected === undefined
      ? {}
      : {
          nextTab: step(1),
          previousTab: step(-1),
          logs() {
            agentSources(actions.client, selected)
              .then((sources) => toLogs(selected, sources, context))
              .catch(reportFailure(context));
          },
          diffs: () => void showDiffs(actions.client, selected, Date.now(), context).catch(reportFailure(context)),
          operations: () => go({ screen: 'operations', text: selected.hostname }),
        }),
  };
}
