import type { ErrlogEntry } from '@quarterdeck/sdk';
import { reportFailure } from '@quarterdeck/views/actions';
import {
  aheadBy,
  bulkDialog,
  changeStates,
  ERRLOG_SORTS,
  type ErrlogFilter,
  type ErrlogUpdates,
  FILTERED_GROUPS_MAX,
  groupsOf,
  isByTime,
  isFollowing,
  listErrlog,
  mergeDialog,
  muteDialog,
  NO_FILTER,
  noteDialog,
  OPEN_STATES,
  stateDialog,
  stepLevel,
  toggleRollup,
} from '@quarterdeck/views/errlog';
import { failureOf } from '@quarterdeck/views/failures';
import { groupFilter, withChange } from '@quarterdeck/views/filters';
import { momentText } from '@quarterdeck/views/text';
import { pan, rangeBounds, rangeOf, zoom } from '@quarterdeck/views/times';
import { selectMatch } from '../../components/list/list-commands.ts';
import type { ListState } from '../../components/list/list-state.ts';
import type { List } from '../../components/list/use-list.ts';
import type { Dashboard } from '../../context/dashboard.ts';
import type { Dialog } from '../../context/dialog.ts';
import type { Commands } from '../../keys/use-commands.ts';
import { goToOne } from '../list/go-to-one.ts';
import { goToTimeCommand } from '../list/go-to-time.ts';
import { NO_FILTER_SET } from '../list/list-description.ts';
import { levelJumps } from '../shared/level-jumps.ts';
import { linkChoices, linkDialog } from './change-links.ts';
import { agentChoices, hostOf } from './changes-view.ts';
import { hostOf as hostOfSource } from './errlog-view.ts';
import type { ErrlogModel } from './use-errlog.ts';
import type { ErrlogChart } from './use-errlog-chart.ts';
import type { ErrlogDetail } from './use-errlog-detail.ts';

/** Opens the lines. Enter does so in the details, which it shows first in the place of what changed. */
function lineCommands(
  { selected, state }: List<ErrlogEntry>,
  { go, client, fail, say }: Pick<Dashboard, 'go' | 'client' | 'fail' | 'say'>,
  { showsChanges, showChanges }: Pick<ErrlogDetail, 'showsChanges' | 'showChanges'>,
) {
  if (selected === undefined) return {};
  const open = (groups: readonly number[]): void => go({ screen: 'lines', text: groupFilter(groups) });
  const openAll = (): void => {
    groupsOf(client, selected, { most: FILTERED_GROUPS_MAX })
      .then((groups) => open(groups.map(({ id }) => id)))
      .catch(reportFailure({ say, fail }));
  };
  const lines = (selected.sources ?? 1) > 1 ? openAll : () => open([selected.id]);
  if (state.detail === 'closed') return { lines };
  return { lines, enlarge: undefined, ...(showsChanges ? { open: () => showChanges(false) } : {}) };
}

/** Goes to the newest row at a moment or before it: all groups that happened later are above it. */
async function goTo(model: ErrlogModel, list: List<ErrlogEntry>, dashboard: Dashboard, momentS: number): Promise<void> {
  const { client, range, now, say } = dashboard;
  const bounds = rangeBounds(range, Math.floor(now() / 1000));
  const query = { ...model.state.filter, ...bounds, start_time: momentS + 1 };
  const isAtEnd = momentS === bounds.end_time;
  const later = isAtEnd ? 0 : (await listErrlog(client, query, { start: 0, end: 1 })).meta.count;
  list.mover.to(Math.max(0, later - aheadBy(model.state)));
  if (model.state.total !== null && later >= model.state.total)
    say({ tone: 'notice', text: `No errors at ${momentText(momentS, now())} or before; this is the last one.` });
}

function timeCommands(
  model: ErrlogModel,
  list: List<ErrlogEntry>,
  dashboard: Dashboard,
  chart: ErrlogChart,
): Pick<Partial<Commands<'errlog'>>, 'goToTime' | 'chartRange'> {
  const { setRange, say, fail } = dashboard;
  const warn = (text: string): void => say({ tone: 'warning', text });
  return {
    chartRange: () => setRange(rangeOf(chart.window)),
    goToTime: goToTimeCommand(dashboard, (momentS) => {
      if (!isByTime(model.state.filter)) return warn('The list is not in the order of time. Sort it by time first.');
      goTo(model, list, dashboard, momentS).catch((error: unknown) => {
        fail(error);
        warn(failureOf(error).message);
      });
    }),
  };
}

/** Each order of the server as the list shows it, as stable objects. */
const ORDERS = new Map<string, ListState['sort']>(
  Object.entries(ERRLOG_SORTS).flatMap(([id, [first, second]]) => [
    [first, [{ id, down: first.startsWith('-') }]],
    [second, [{ id, down: second.startsWith('-') }]],
  ]),
);

const NO_ORDER: ListState['sort'] = [];

/** The order of a filter as the list shows it; none for the default, newest first. */
export const orderOf = ({ sort }: ErrlogFilter): ListState['sort'] => ORDERS.get(sort ?? '') ?? NO_ORDER;

/** Asks for a request id and filters by it. */
function askForRequest(model: ErrlogModel, { open, store }: Pick<Dashboard, 'open' | 'store'>): void {
  open({
    kind: 'prompt',
    label: 'request id: ',
    initial: '',
    history: store.get().filters,
    onSubmit: (text) => model.filter(withChange(model.state.filter, { req_id: text.trim() })),
  });
}

/** The parts of the screen that the commands act on. */
export interface ErrlogActions {
  readonly updates: ErrlogUpdates;
  /** Runs a change and reports its result. */
  readonly run: (act: () => Promise<string>) => void;
  /** Opens a dialog that needs an answer of the server first. */
  readonly openLater: (asked: Promise<Dialog>) => void;
  readonly chart: ErrlogChart;
  readonly detail: ErrlogDetail;
}

function filterCommands(model: ErrlogModel, selected: ErrlogEntry | undefined) {
  const { filter } = model.state;
  const step = (by: 1 | -1) => (): void =>
    model.filter(withChange(filter, { level_max: stepLevel(filter.level_max, by), level: undefined }));
  const by = (change: Readonly<Record<string, unknown>>) => (): void => model.filter(withChange(filter, change));
  return {
    levelMore: filter.level_max === undefined ? 'All levels are shown.' : step(1),
    levelLess: step(-1),
    openOnly: by({ state: filter.state === OPEN_STATES ? undefined : OPEN_STATES }),
    rollup: () => model.filter(toggleRollup(filter)),
    clearFilter: Object.keys(filter).length === 0 ? NO_FILTER_SET : () => model.filter(NO_FILTER),
    ...(selected === undefined
      ? {}
      : {
          bySource: by({ src: selected.src }),
          byLevel: by({ level: selected.level, level_max: undefined }),
          byApp: selected.app_id === undefined ? 'This error names no application.' : by({ app_id: selected.app_id }),
          byError:
            selected.fingerprint === undefined
              ? 'This error has no fingerprint.'
              : by({ fingerprint: selected.fingerprint }),
        }),
  };
}

function changeCommands(
  model: ErrlogModel,
  list: List<ErrlogEntry>,
  { open, range, now }: Pick<Dashboard, 'open' | 'range' | 'now'>,
  { updates, run, openLater }: ErrlogActions,
) {
  const { chosen, selected } = list;
  const { rows, filter } = model.state;
  const resolve = (): void => {
    // While the list follows, a new row may have moved under the selection since the user chose.
    if (isFollowing(model.state) && list.state.marks.size === 0) {
      open(stateDialog(chosen, 'resolved', updates));
      return;
    }
    run(() => changeStates(chosen, 'resolved', updates));
  };
  const nameOf = (src: number): string => hostOfSource(rows, src);
  return {
    bulk: () => open(bulkDialog(filter, { range, nowMs: now() }, nameOf, updates)),
    ...(selected === undefined
      ? {}
      : {
          resolve,
          reopen: () => open(stateDialog(chosen, 'ongoing', updates)),
          mute: () => open(muteDialog(chosen, updates)),
          merge:
            chosen.length < 2
              ? 'Mark the entries that are one error first.'
              : () => openLater(mergeDialog(chosen, updates)),
          note: () => open(noteDialog(selected, updates, (row) => model.changed([row]))),
        }),
  };
}

/** The commands for changes before the selected entry, and for their agents. */
function changesCommands(
  { selected, state }: List<ErrlogEntry>,
  { open, go, client }: Pick<Dashboard, 'open' | 'go' | 'client'>,
  { detail: { changes, showsChanges, showChanges }, openLater }: ErrlogActions,
  nowS: number,
) {
  const choices = changes === null ? [] : agentChoices(changes, nowS * 1000);
  return {
    goChange:
      changes === null
        ? 'Show what changed first.'
        : goToOne('Choose a change', linkChoices(changes), open, (id) =>
            openLater(linkDialog(client, changes, id, nowS * 1000)),
          ),
    changes: selected === undefined ? undefined : () => showChanges(!showsChanges || state.detail === 'closed'),
    goAgent:
      choices.length === 0
        ? 'Show what changed first.'
        : () =>
            open({
              kind: 'choose',
              title: 'Go to an agent',
              choices,
              onTake: ({ id }) =>
                go({ screen: 'agents', args: { id, host: changes === null ? '' : (hostOf(changes, id) ?? '') } }),
            }),
  };
}

export function errlogCommands(
  model: ErrlogModel,
  list: List<ErrlogEntry>,
  dashboard: Dashboard,
  actions: ErrlogActions,
  nowS: number,
): Partial<Commands<'errlog'>> {
  const { window, setWindow, toggle } = actions.chart;
  return {
    ...levelJumps(
      (steps, what, isWanted) => selectMatch(list, steps, { what, matches: ({ level }) => isWanted(level) }),
      dashboard.say,
    ),
    ...filterCommands(model, list.selected),
    ...timeCommands(model, list, dashboard, actions.chart),
    ...changeCommands(model, list, dashboard, actions),
    ...changesCommands(list, dashboard, actions, nowS),
    ...lineCommands(list, dashboard, actions.detail),
    follow: isFollowing(model.state) ? undefined : model.follow,
    pause: model.pause,
    byRequest: () => askForRequest(model, dashboard),
    chart: toggle,
    zoomIn: () => setWindow(zoom(window, -1)),
    zoomOut: () => setWindow(zoom(window, 1)),
    earlier: (times) => setWindow(pan(window, -times, nowS)),
    later: (times) => setWindow(pan(window, times, nowS)),
  };
}
