// State that is kept between runs: choices of lists, the last screen, typed lines. Never data of a server, never a
// secret.
import { type ListChoices, WIDTH_MAX } from '../components/list/list-state.ts';
import { SCREENS, type Screen } from '../navigation.ts';

/** Maximum number of lines of a history. */
const HISTORY_MAX = 100;
/** Maximum length of a stored line. */
const LINE_MAX = 500;

/** The stored state. */
export interface SavedState {
  readonly screen: Screen | null;
  readonly lists: Readonly<Record<string, ListChoices>>;
  readonly commands: readonly string[];
  readonly filters: readonly string[];
}

/** The store of one dashboard. */
export interface StateStore {
  readonly get: () => SavedState;
  readonly setScreen: (screen: Screen) => void;
  readonly setList: (name: string, choices: ListChoices) => void;
  readonly remember: (history: 'commands' | 'filters', line: string) => void;
}

const NOTHING: SavedState = { screen: null, lists: {}, commands: [], filters: [] };

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const texts = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.filter((one) => typeof one === 'string' && one.length <= LINE_MAX).slice(-HISTORY_MAX)
    : [];

const readWidths = (value: unknown): ListChoices['widths'] =>
  isRecord(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([id, width]) =>
          typeof width === 'number' && Number.isInteger(width) && width > 0 && width <= WIDTH_MAX ? [[id, width]] : [],
        ),
      )
    : {};

function readChoices(value: unknown): ListChoices | null {
  if (!isRecord(value)) return null;
  const detail = value['detail'];
  const sort = Array.isArray(value['sort']) ? value['sort'] : [];
  return {
    sort: sort.flatMap((key) =>
      isRecord(key) && typeof key['id'] === 'string' ? [{ id: key['id'], down: key['down'] === true }] : [],
    ),
    order: texts(value['order']),
    hidden: texts(value['hidden']),
    widths: readWidths(value['widths']),
    facetsOpen: value['facetsOpen'] === true,
    detail: detail === 'open' ? 'open' : 'closed',
  };
}

/** Reads stored state, ignoring invalid parts. */
export function readSavedState(value: unknown): SavedState {
  if (!isRecord(value)) return NOTHING;
  const lists = isRecord(value['lists']) ? value['lists'] : {};
  return {
    screen: SCREENS.find((screen) => screen === value['screen']) ?? null,
    lists: Object.fromEntries(
      Object.entries(lists).flatMap(([name, kept]) => {
        const choices = readChoices(kept);
        return choices === null ? [] : [[name, choices]];
      }),
    ),
    commands: texts(value['commands']),
    filters: texts(value['filters']),
  };
}

/** Creates a store with an initial state. Passes every change to `save`. */
export function createStateStore(kept: unknown, save: (state: SavedState) => void): StateStore {
  let state = readSavedState(kept);
  const setState = (next: SavedState): void => {
    state = next;
    save(state);
  };
  return {
    get: () => state,
    setScreen(screen) {
      if (screen !== state.screen) setState({ ...state, screen });
    },
    setList(name, choices) {
      const { sort, order, hidden, widths, facetsOpen, detail } = choices;
      const kept: ListChoices = { sort, order, hidden, widths, facetsOpen, detail };
      if (JSON.stringify(state.lists[name]) !== JSON.stringify(kept)) {
        setState({ ...state, lists: { ...state.lists, [name]: kept } });
      }
    },
    remember(history, line) {
      if (line.trim() === '' || line.length > LINE_MAX) return;
      setState({
        ...state,
        [history]: [...state[history].filter((other) => other !== line), line].slice(-HISTORY_MAX),
      });
    },
  };
}
