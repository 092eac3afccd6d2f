// What the keys of the error log do besides those of every list.
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { stepTo } from '../../components/list/list-commands.ts';
import type { List } from '../../components/list/use-list.ts';
import type { Dashboard } from '../../data/dashboard.ts';
import { type ErrlogFilter, NO_FILTER, readLevel, sourceName } from '../../data/errlog.ts';
import type { Commands } from '../../keys/use-commands.ts';
import type { Target } from '../../navigation.ts';
import { isFollowing } from './errlog-state.ts';
import { stepLevel } from './levels.ts';
import type { ErrlogModel } from './use-errlog.ts';

/** ERROR; everything below it is worse. */
const ERROR_LEVEL = 4;
const WARN_LEVEL = 5;

/** A filter with something changed; what is undefined is left out. */
export function withFilter(filter: ErrlogFilter, change: Readonly<Record<string, unknown>>): ErrlogFilter {
  const entries = Object.entries({ ...filter, ...change }).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(entries) as ErrlogFilter;
}

/** A filter after a value of a facet was chosen, or taken back. */
export function chooseFacet(
  filter: ErrlogFilter,
  facet: string,
  value: string,
  rows: Iterable<ErrlogEntry>,
): ErrlogFilter {
  if (facet === 'level') {
    const level = readLevel(value);
    return withFilter(filter, { level: filter.level === level ? undefined : level, level_max: undefined });
  }
  if (facet === 'source') {
    for (const row of rows) {
      if (sourceName(row) === value) return withFilter(filter, { src: filter.src === row.src ? undefined : row.src });
    }
  }
  return filter;
}

/** The filter for somebody who comes from elsewhere: `level=4`, `source=web-1`, `app=12`, `request=...`, a text. */
export function filterFor({ args = {}, text }: Target, rows: Iterable<ErrlogEntry>): ErrlogFilter {
  const level = args['level'] === undefined ? undefined : readLevel(args['level']);
  const exact = args['only'] === undefined ? undefined : readLevel(args['only']);
  const app = args['app'];
  let filter = withFilter(NO_FILTER, {
    level_max: level,
    level: exact,
    app_id: app !== undefined && /^\d+$/.test(app) ? Number(app) : undefined,
    req_id: args['request'] ?? args['req'],
    src: args['src'] !== undefined && /^\d+$/.test(args['src']) ? Number(args['src']) : undefined,
    q: text,
  });
  const source = args['source'];
  if (source !== undefined) {
    const found = chooseFacet(filter, 'source', source, rows);
    // A source that is not loaded is looked for in the text.
    filter = found === filter ? withFilter(filter, { q: source }) : found;
  }
  return filter;
}

function jumps(list: List<ErrlogEntry>, say: Dashboard['say']) {
  const { rows, spot, mover } = list;
  const jump = (what: string, wanted: (level: number) => boolean, by: 1 | -1) => (times: number) => {
    const at = stepTo(rows, spot.index, by * times, ({ level }) => !wanted(level));
    if (at === spot.index) say({ tone: 'notice', text: `No further ${what} in what is loaded.` });
    else mover.to(at);
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

/** The commands of the screen. */
export function errlogCommands(
  model: ErrlogModel,
  list: List<ErrlogEntry>,
  surroundings: Pick<Dashboard, 'open' | 'say' | 'store'>,
): Partial<Commands<'errlog'>> {
  const { state } = model;
  const { filter } = state;
  const { selected } = list;
  const step = (by: 1 | -1) => (): void =>
    model.filter(withFilter(filter, { level_max: stepLevel(filter.level_max, by), level: undefined }));
  return {
    ...jumps(list, surroundings.say),
    follow: isFollowing(state) ? undefined : model.follow,
    pause: model.pause,
    levelMore: filter.level_max === undefined ? undefined : step(1),
    levelLess: step(-1),
    byRequest: () => askForRequest(model, surroundings),
    clearFilter: Object.keys(filter).length === 0 ? undefined : () => model.filter(NO_FILTER),
    ...(selected === undefined
      ? {}
      : {
          bySource: () => model.filter(withFilter(filter, { src: selected.src })),
          byLevel: () => model.filter(withFilter(filter, { level: selected.level, level_max: undefined })),
          byApp:
            selected.app_id === undefined
              ? undefined
              : () => model.filter(withFilter(filter, { app_id: selected.app_id })),
        }),
  };
}
