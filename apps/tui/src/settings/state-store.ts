// State that is kept between runs: choices of lists, saved views, bookmarks, the last screen, typed lines. Never a
// secret.

import {
  type ColumnChoices,
  isRecord,
  LINE_MAX,
  readColumns,
  readViews,
  type SavedView,
  TEXTS_MAX,
  texts,
} from '@quarterdeck/views/saved-views';
import { SCREENS, type Screen } from '../commands/navigation.ts';
import { type Bookmark, readBookmarks } from './bookmarks.ts';

/** Choices of a list. */
export interface ListChoices extends ColumnChoices {
  readonly facetsOpen: boolean;
  readonly detail: 'closed' | 'open' | 'full';
}

export interface SavedState {
  readonly screen: Screen | null;
  readonly lists: Readonly<Record<string, ListChoices>>;
  readonly commands: readonly string[];
  readonly filters: readonly string[];
  /** Saved views by list. */
  readonly views: Readonly<Record<string, readonly SavedView[]>>;
  readonly bookmarks: readonly Bookmark[];
}

/** The store of one dashboard. */
export interface StateStore {
  readonly get: () => SavedState;
  /** Calls the watcher after every change; returns a function that ends this. */
  readonly subscribe: (watcher: () => void) => () => void;
  readonly setScreen: (screen: Screen) => void;
  readonly setList: (name: string, choices: ListChoices) => void;
  readonly setViews: (list: string, views: readonly SavedView[]) => void;
  readonly setBookmarks: (bookmarks: readonly Bookmark[]) => void;
  readonly remember: (history: 'commands' | 'filters', line: string) => void;
}

const NOTHING: SavedState = { screen: null, lists: {}, commands: [], filters: [], views: {}, bookmarks: [] };

function readChoices(value: unknown): ListChoices | null {
  if (!isRecord(value)) return null;
  const detail = value['detail'];
  return {
    ...readColumns(value),
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
    views: readViews(value['views']),
    bookmarks: readBookmarks(value['bookmarks']),
  };
}

/** Creates a store with an initial state. Passes every change to `save`. */
export function createStateStore(kept: unknown, save: (state: SavedState) => void): StateStore {
  const watchers = new Set<() => void>();
  let state = readSavedState(kept);
  const setState = (next: SavedState): void => {
    state = next;
    save(state);
    for (const watcher of watchers) watcher();
  };
  return {
    get: () => state,
    subscribe(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    setScreen(screen) {
      if (screen !== state.screen) setState({ ...state, screen });
    },
    setList(name, choices) {
      const { sort, order, hidden, shown, widths, facetsOpen, detail } = choices;
      const kept: ListChoices = { sort, order, hidden, shown, widths, facetsOpen, detail };
      if (JSON.stringify(state.lists[name]) !== JSON.stringify(kept)) {
        setState({ ...state, lists: { ...state.lists, [name]: kept } });
      }
    },
    setViews: (list, views) => setState({ ...state, views: { ...state.views, [list]: views } }),
    setBookmarks: (bookmarks) => setState({ ...state, bookmarks }),
    remember(history, line) {
      if (line.trim() === '' || line.length > LINE_MAX) return;
      setState({
        ...state,
        [history]: [...state[history].filter((other) => other !== line), line].slice(-TEXTS_MAX),
      });
    },
  };
}
