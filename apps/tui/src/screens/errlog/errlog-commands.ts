// The commands of the error log's screen.
import { type ErrlogSort, ErrlogState } from '@quarterdeck/core';
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { anyValue, isId, isNumber, type KnownArguments } from '../../commands/arguments.ts';
import type { Dialog } from '../../components/dialog/dialog.ts';
import { selectMatch } from '../../components/list/list-commands.ts';
import type { ListState } from '../../components/list/list-state.ts';
import type { List } from '../../components/list/use-list.ts';
import type { Dashboard } from '../../data/dashboard.ts';
import { type ErrlogFilter, NO_FILTER, OPEN_STATES, readLevel } from '../../data/errlog.ts';
import { withChange } from '../../data/filter.ts';
import type { Commands } from '../../keys/use-commands.ts';
import type { Target } from '../../navigation.ts';
import { goToOne } from '../list/go-to-one.ts';
import { NO_FILTER_SET } from '../list/list-description.ts';
import { linkChoices, linkDialog } from './change-links.ts';
import { agentChoices, hostOf } from './changes-view.ts';
import { pan, zoom } from './chart-window.ts';
import { bulkDialog, changeStates, type ErrlogUpdates, muteDialog, noteDialog, stateDialog } from './errlog-dialogs.ts';
import { isFollowing } from './errlog-state.ts';
import { timeCommands } from './errlog-times.ts';
import { hostOf as hostOfSource } from './errlog-view.ts';
import { ERROR_LEVEL, stepLevel, WARN_LEVEL } from './levels.ts';
import { lineCommands } from './line-commands.ts';
import type { ErrlogModel } from './use-errlog.ts';
import type { ErrlogChart } from './use-errlog-chart.ts';
import type { ErrlogDetail } from './use-errlog-detail.ts';

/** Changes a filter; undefined values are left out. */
export const withFilter = (filter: ErrlogFilter, change: Readonly<Record<string, unknown>>): ErrlogFilter =>
  withChange(filter, change);

/** Toggles a value of a facet in a filter. */
export function chooseFacet(filter: ErrlogFilter, facet: string, key: string): ErrlogFilter {
  const number = Number(key);
  const toggled = (is: number | undefined): number | undefined => (is === number ? undefined : number);
  if (facet === 'level') return withFilter(filter, { level: toggled(filter.level), level_max: undefined });
  if (facet === 'source') return withFilter(filter, { src: toggled(filter.src) });
  if (facet === 'service') return withFilter(filter, { service: filter.service === key ? undefined : key });
  if (facet === 'app') return withFilter(filter, { app_id: toggled(filter.app_id) });
  if (facet !== 'state') return filter;
  const states = filter.state?.split(',') ?? [];
  const next = states.includes(key) ? states.filter((state) => state !== key) : [...states, key];
  return withFilter(filter, { state: next.join(',') });
}

const SORTS: Readonly<Record<string, readonly [first: ErrlogSort, second: ErrlogSort]>> = {
  time: ['-log_time', 'log_time'],
  count: ['-count', 'count'],
  first: ['-first_seen', 'first_seen'],
};

/** Each order of the server as the list shows it, as stable objects. */
const ORDERS = new Map<string, ListState['sort']>(
  Object.entries(SORTS).flatMap(([id, [first, second]]) => [
    [first, [{ id, down: true }]],
    [second, [{ id, down: false }]],
  ]),
);

const NO_ORDER: ListState['sort'] = [];

/** The order of a filter as the list shows it; none for the default, newest first. */
export const orderOf = ({ sort }: ErrlogFilter): ListState['sort'] => ORDERS.get(sort ?? '') ?? NO_ORDER;

/** True for a column that the server can sort by. */
export const isSortable = (column: string): boolean => SORTS[column] !== undefined;

/** Sorts by a column, or reverses it; null where the server has no such order. */
export function sortFilter(filter: ErrlogFilter, column: string): ErrlogFilter | null {
  const orders = SORTS[column];
  if (orders === undefined) return null;
  const { sort = '-log_time' } = filter;
  const next = sort === orders[0] ? orders[1] : orders[0];
  return withFilter(filter, { sort: next === '-log_time' ? undefined : next });
}

const isLevel = (value: string): boolean => readLevel(value) !== undefined;

/** The arguments of `:logs`. */
export const ERRLOG_ARGUMENTS: KnownArguments = {
  level: isLevel,
  state: (value) => value === 'open' || value.split(',').every((state) => ErrlogState.safeParse(state).success),
  source: anyValue,
  service: anyValue,
  app: isNumber,
  request: anyValue,
  only: isLevel,
  error: anyValue,
  src: isNumber,
  req: anyValue,
  id: isId,
  group: isNumber,
};

/**
 * The filter of a visit: `level=4`, `app=12`, `request=...`, a text, `error=` with a fingerprint. `named` is the id of
 * the source in `source=web-1`, because the server filters by id.
 */
export function filterFor({ args = {}, text }: Target, named?: number): ErrlogFilter {
  const level = args['level'] === undefined ? undefined : readLevel(args['level']);
  const exact = args['only'] === undefined ? undefined : readLevel(args['only']);
  const app = args['app'];
  return withFilter(NO_FILTER, {
    level_max: level,
    level: exact,
    app_id: app !== undefined && /^\d+$/.test(app) ? Number(app) : undefined,
    service: args['service'],
    fingerprint: args['error'],
    req_id: args['request'] ?? args['req'],
    state: args['state'] === 'open' ? OPEN_STATES : args['state'],
    src: named ?? (args['src'] !== undefined && /^\d+$/.test(args['src']) ? Number(args['src']) : undefined),
    filter: args['group'] === undefined ? text : `group:${args['group']}`,
  });
}

function jumps(list: List<ErrlogEntry>, say: Dashboard['say']) {
  const jump = (what: string, wanted: (level: number) => boolean, by: 1 | -1) => (times: number) => {
    const text = selectMatch(list, by * times, { what, matches: ({ level }) => wanted(level) });
    if (text !== null) say({ tone: 'notice', text });
  };
  const isError = (level: number): boolean => level <= ERROR_LEVEL;
  const isWarning = (level: number): boolean => level === WARN_LEVEL;
  return {
    nextError: jump('error', isError, 1),
    previousError: jump('error', isError, -1),
    nextWarning: jump('warning', isWarning, 1),
    previousWarning: jump('warning', isWarning, -1),
  };
}

/** Asks for a request id and filters by it. */
function askForRequest(model: ErrlogModel, { open, store }: Pick<Dashboard, 'open' | 'store'>): void {
  open({
    kind: 'prompt',
    label: 'request id: ',
    initial: '',
    history: store.get().filters,
    onSubmit: (text) => model.filter(withFilter(model.state.filter, { req_id: text.trim() })),
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
    model.filter(withFilter(filter, { level_max: stepLevel(filter.level_max, by), level: undefined }));
  const by = (change: Readonly<Record<string, unknown>>) => (): void => model.filter(withFilter(filter, change));
  return {
    levelMore: filter.level_max === undefined ? 'All levels are shown.' : step(1),
    levelLess: step(-1),
    openOnly: by({ state: filter.state === OPEN_STATES ? undefined : OPEN_STATES }),
    rollup: by({ rollup: filter.rollup === true ? undefined : true }),
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
  { updates, run }: ErrlogActions,
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
        ? undefined
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

/** The commands of the screen. */
export function errlogCommands(
  model: ErrlogModel,
  list: List<ErrlogEntry>,
  dashboard: Dashboard,
  actions: ErrlogActions,
  nowS: number,
): Partial<Commands<'errlog'>> {
  const { window, setWindow, toggle } = actions.chart;
  return {
    ...jumps(list, dashboard.say),
    ...filterCommands(model, list.selected),
    ...timeCommands(model, list, dashboard, actions.chart),
    ...changeCommands(model, list, dashboard, actions),
    ...changesCommands(list, dashboard, actions, nowS),
    ...lineCommands(list, dashboard, actions.detail.showsChanges),
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
