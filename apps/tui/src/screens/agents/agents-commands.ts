// The commands of the agents' screen.

import type { AgentEvent, ErrlogSource } from '@quarterdeck/core';
import type { Agent, Client } from '@quarterdeck/sdk';
import { reportFailure } from '@quarterdeck/views/actions';
import {
  type AgentFilter,
  AWAY_STATES,
  agentAt,
  agentName,
  agentSources,
  clearAgentFilter,
  isNarrowed,
  stateOf,
} from '@quarterdeck/views/agents';
import { failureOf } from '@quarterdeck/views/failures';
import { withChange } from '@quarterdeck/views/filters';
import { momentText } from '@quarterdeck/views/text';
import type { List } from '../../components/list/use-list.ts';
import type { Dashboard } from '../../context/dashboard.ts';
import type { Dialog } from '../../context/dialog.ts';
import type { Commands } from '../../keys/use-commands.ts';
import { NO_FILTER_SET } from '../list/list-description.ts';
import { chooseSource } from '../shared/choose-source.ts';
import {
  type AgentActions,
  type AgentTarget,
  askPlain,
  type PLAIN_ACTIONS,
  partsOf,
  runAction,
} from './agent-actions.ts';
import { compareDialog } from './agent-compare.ts';
import { editDialog, editManyDialog, matchingDialog, noteDialog, operateDialog } from './agent-dialogs.ts';
import { historyDialog, showDiffs } from './agent-diffs.ts';
import { type AgentPane, stepPane } from './agent-panes.ts';
import { momentDialog } from './moment-dialog.ts';

/** Everything that the command needs. */
interface CompareContext extends Pick<Dashboard, 'open' | 'say' | 'now' | 'zone'> {
  readonly client: Client;
  /** The time at which the list shows agents, Unix seconds; undefined = now. */
  readonly at: number | undefined;
  /** Opens a dialog that waits for an answer of the server. */
  readonly openLater: (dialog: Promise<Dialog>) => void;
}

/** Compares an agent now with itself at a time. Where the list shows the past, `shown` is a row of that time. */
async function nowAndThen(shown: Agent, at: number, { client, now, at: shownAt }: CompareContext): Promise<Dialog> {
  const name = agentName(shown);
  const then = `at ${momentText(at, now())}`;
  try {
    const [present, past] = await Promise.all([
      shownAt === undefined ? shown : client.agent.get({ params: { id: shown.id }, query: { detail: 1 } }),
      shownAt === undefined ? agentAt(client, shown.id, at) : shown,
    ]);
    return compareDialog({ name: `${name} now`, agent: present }, { name: then, agent: past }, now());
  } catch (error) {
    if (failureOf(error).code !== 'not_found') throw error;
    return { kind: 'text', title: name, lines: () => [[{ text: `${name} did not exist ${then}.` }]] };
  }
}

/** Asks for the time of the other side. */
const timeDialog = (agent: Agent, context: CompareContext): Dialog =>
  momentDialog(
    { title: `Compare ${agentName(agent)} with its state at another time`, submit: 'compare' },
    context,
    (moment) => nowAndThen(agent, moment, context),
  );

/** Compares two marked agents, or the selected one with its state at a time that is asked for. */
export function compareCommand({ chosen }: Pick<List<Agent>, 'chosen'>, context: CompareContext): void {
  const [first, second, ...others] = chosen;
  if (first === undefined) return;
  if (others.length > 0) {
    context.say({ tone: 'notice', text: 'Mark two agents to compare them, or none to compare one with its past.' });
  } else if (second !== undefined) {
    const side = (agent: Agent) => ({ name: agentName(agent), agent });
    context.open(compareDialog(side(first), side(second), context.now()));
  } else if (context.at !== undefined) context.openLater(nowAndThen(first, context.at, context));
  else context.open(timeDialog(first, context));
}

/** The state of the screen that its keys change. */
export interface AgentsState {
  readonly filter: AgentFilter;
  readonly setFilter: (filter: AgentFilter) => void;
  readonly pane: AgentPane;
  readonly setPane: (pane: AgentPane) => void;
  /** The history of the selected agent, once its pane has read it. */
  readonly history: readonly AgentEvent[];
}

/** The state of the screen, and its changes of agents. */
export interface AgentsView extends AgentsState {
  readonly actions: AgentActions;
  /** Opens a dialog that waits for an answer of the server. */
  readonly openLater: (dialog: ReturnType<typeof askPlain>) => void;
}

type Context = Pick<Dashboard, 'open' | 'say' | 'go' | 'fail' | 'now' | 'zone' | 'me'>;

const NOT_DELETED = 'Select a deleted agent first.';
const NOT_NOW = 'The past cannot be changed. Press Esc to return to now.';
/** The changing commands while the list shows another time. */
const IN_THE_PAST = {
  bulk: NOT_NOW,
  note: NOT_NOW,
  edit: NOT_NOW,
  maintenance: NOT_NOW,
  operate: NOT_NOW,
  remove: NOT_NOW,
  restore: NOT_NOW,
  purge: NOT_NOW,
} as const;

function filterCommands(selected: Agent | undefined, { filter, setFilter }: AgentsView) {
  const by = (change: Readonly<Record<string, unknown>>) => (): void => setFilter(withChange(filter, change));
  const toggled = (name: 'bad_kernel' | 'include_deleted') => by({ [name]: filter[name] === true ? undefined : true });
  return {
    away: by({ state: filter.state === AWAY_STATES ? undefined : AWAY_STATES }),
    withDeleted: toggled('include_deleted'),
    byBadKernel: toggled('bad_kernel'),
    clearFilter: isNarrowed(filter) ? () => setFilter(clearAgentFilter(filter)) : NO_FILTER_SET,
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
    const words = { verb: '', done: maintenance ? 'Turned on maintenance of' : 'Turned off maintenance of', lines: [] };
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
          restore: deleted.length === 0 ? NOT_DELETED : ask('restore'),
          purge: deleted.length === 0 ? NOT_DELETED : ask('purge'),
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

/** Enter in the history chooses an entry, in place of the commands of the list with this key. */
function historyCommands({ selected, state }: List<Agent>, context: Context, view: AgentsView) {
  const { pane, history, actions } = view;
  const isFocused = state.detail === 'full' || (state.detail === 'open' && state.focus === 'detail');
  if (selected === undefined || !isFocused || pane !== 'history' || history.length === 0) return {};
  const entry = (): void => context.open(historyDialog(selected, history, { ...context, client: actions.client }));
  return { entry, open: undefined, enlarge: undefined };
}

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
    ...historyCommands(list, context, view),
    at: () =>
      context.open(
        momentDialog({ title: 'Show the fleet as it was', submit: 'show it' }, context, async (at) => {
          view.setFilter(withChange(view.filter, { at: at < Math.floor(context.now() / 1000) ? at : undefined }));
          return undefined;
        }),
      ),
    ...filterCommands(selected, view),
    ...(view.filter.at === undefined ? changeCommands(list, context, view) : IN_THE_PAST),
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
          diffs: () => void showDiffs(selected, { ...context, client: actions.client }).catch(reportFailure(context)),
          compare: () =>
            compareCommand(list, { ...context, client: actions.client, at: view.filter.at, openLater: view.openLater }),
          operations: () => go({ screen: 'operations', text: selected.hostname }),
        }),
  };
}
