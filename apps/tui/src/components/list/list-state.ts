// State of a list: selection, marks, order, filter, columns, open panes. Pure. It does not contain the rows, so rows
// may change.

import { AT_TOP, type Cursor, type Extent, fromTop, moveBy, moveTo } from '@quarterdeck/views/lists';
import { WIDTH_MAX } from '@quarterdeck/views/saved-views';
import type { ListChoices } from '../../settings/state-store.ts';

/** The part of the screen that has the keys. */
export type Focus = 'list' | 'detail' | 'facets';

export interface ListState extends ListChoices {
  readonly cursor: Cursor;
  readonly marks: ReadonlySet<number>;
  /** The open range: the row it began at, and the marks before it. Null if no range is open. */
  readonly range: { readonly from: number; readonly base: ReadonlySet<number> } | null;
  /** The column that column commands act on; null if none is chosen. */
  readonly column: string | null;
  /** Columns of the terminal by which the list is moved sideways. */
  readonly pan: number;
  readonly filter: string;
  /** The last filter, for moving between matches. */
  readonly searched: string;
  /** Chosen values by facet; a facet without an entry passes all values. */
  readonly facets: Readonly<Record<string, readonly string[]>>;
  readonly facetRow: number;
  readonly focus: Focus;
  /** First visible line of the details, and the row they belong to. */
  readonly scroll: { readonly id: number; readonly from: number };
}

/** The shown rows that are loaded, their place in the whole list, and the number of visible rows. */
interface ShownRows {
  readonly ids: readonly number[];
  readonly extent: Extent;
  readonly height: number;
}

/** Actions. `ids` are the shown rows. */
export type ListAction =
  | ({ readonly type: 'move'; readonly by: number } & ShownRows)
  | ({ readonly type: 'moveTo'; readonly index: number } & ShownRows)
  | { readonly type: 'settle'; readonly cursor: Cursor }
  /** Selects a row that may not be there yet, and clears the filter, which might hide it. */
  | { readonly type: 'reveal'; readonly id: number }
  | { readonly type: 'toggleMark'; readonly id: number }
  | { readonly type: 'range'; readonly id: number }
  | { readonly type: 'stretch'; readonly to: number; readonly ids: readonly number[] }
  | { readonly type: 'invert' | 'markAll'; readonly ids: readonly number[] }
  | { readonly type: 'unmark' }
  | { readonly type: 'column'; readonly by: number; readonly columns: readonly string[] }
  | { readonly type: 'pan'; readonly by: number; readonly most: number }
  | { readonly type: 'sort'; readonly id: string }
  | { readonly type: 'hide'; readonly columns: readonly string[] }
  /** `width` is the current width on the screen. */
  | { readonly type: 'resizeColumn'; readonly by: number; readonly width: number }
  | { readonly type: 'showColumns' }
  /** `shown`: the columns to show, of `columns`, all of the list in their order. */
  | { readonly type: 'chooseColumns'; readonly shown: readonly string[]; readonly columns: readonly string[] }
  | { readonly type: 'moveColumn'; readonly by: number; readonly columns: readonly string[] }
  | { readonly type: 'filter'; readonly text: string }
  | {
      readonly type: 'view';
      readonly text: string;
      readonly facets: ListState['facets'];
      readonly columns: Pick<ListChoices, 'sort' | 'order' | 'hidden' | 'shown' | 'widths'>;
    }
  | { readonly type: 'facet'; readonly facet: string; readonly value: string }
  | { readonly type: 'clearFacets' }
  | { readonly type: 'facetRow'; readonly to: number }
  | { readonly type: 'toggleFacets' }
  | { readonly type: 'detail'; readonly detail: ListChoices['detail'] }
  | { readonly type: 'focus'; readonly by: number }
  | { readonly type: 'focusOn'; readonly focus: Focus }
  | { readonly type: 'scroll'; readonly id: number; readonly to: number };

export const INITIAL_LIST_STATE: ListState = {
  cursor: AT_TOP,
  marks: new Set(),
  range: null,
  sort: [],
  order: [],
  hidden: [],
  shown: [],
  widths: {},
  column: null,
  pan: 0,
  filter: '',
  searched: '',
  facets: {},
  facetsOpen: false,
  // Below the first heading.
  facetRow: 1,
  focus: 'list',
  detail: 'closed',
  scroll: { id: 0, from: 0 },
};

const SORT_KEYS_MAX = 3;

/** Limits of chosen widths. */
const WIDTH_MIN = 3;

const within = (value: number, low: number, high: number): number => Math.max(low, Math.min(value, high));

function between(ids: readonly number[], from: number, to: number): readonly number[] {
  const [a, b] = [ids.indexOf(from), ids.indexOf(to)];
  return a === -1 || b === -1 ? [] : ids.slice(Math.min(a, b), Math.max(a, b) + 1);
}

function toggled(values: readonly string[], value: string): readonly string[] {
  return values.includes(value) ? values.filter((other) => other !== value) : [...values, value];
}

function moveColumn(state: ListState, by: number, columns: readonly string[]): ListState {
  const at = state.column === null ? -1 : columns.indexOf(state.column);
  const to = at + by;
  if (at === -1 || to < 0 || to >= columns.length) return state;
  const order = [...columns];
  order.splice(to, 0, ...order.splice(at, 1));
  return { ...state, order };
}

function stepColumn(state: ListState, by: number, columns: readonly string[]): ListState {
  if (columns.length === 0) return state;
  const at = state.column === null ? -1 : columns.indexOf(state.column);
  const to = at === -1 ? (by > 0 ? by - 1 : columns.length + by) : at + by;
  return { ...state, column: columns[within(to, 0, columns.length - 1)] ?? null };
}

function hide(state: ListState, columns: readonly string[]): ListState {
  const at = state.column === null ? -1 : columns.indexOf(state.column);
  // The last visible column cannot be hidden.
  if (at === -1 || columns.length === 1) return state;
  const next = columns[at + 1] ?? columns[at - 1] ?? null;
  return { ...state, hidden: [...state.hidden, columns[at] ?? ''], column: next };
}

/** Open parts of the screen, in the order of Tab. */
const open = ({ detail, facetsOpen }: ListChoices): Focus[] => [
  'list',
  ...(detail === 'closed' ? [] : ['detail' as const]),
  ...(facetsOpen ? ['facets' as const] : []),
];

function refocus(state: ListState): ListState {
  return open(state).includes(state.focus) ? state : { ...state, focus: 'list' };
}

/** Returns the state after an action. */
export function listReducer(state: ListState, action: ListAction): ListState {
  switch (action.type) {
    case 'move':
      return { ...state, cursor: moveBy(state.cursor, action.ids, action.height, action.by, action.extent) };
    case 'moveTo':
      return { ...state, cursor: moveTo(state.cursor, action.ids, action.height, action.index, action.extent) };
    case 'settle':
      return { ...state, cursor: action.cursor };
    case 'reveal':
      return { ...state, cursor: { ...state.cursor, id: action.id }, filter: '', facets: {} };
    case 'toggleMark': {
      const marks = new Set(state.marks);
      if (!marks.delete(action.id)) marks.add(action.id);
      return { ...state, marks, range: null };
    }
    case 'range':
      return state.range === null
        ? { ...state, range: { from: action.id, base: state.marks }, marks: new Set([...state.marks, action.id]) }
        : { ...state, range: null };
    case 'stretch':
      if (state.range === null) return state;
      return {
        ...state,
        marks: new Set([...state.range.base, ...between(action.ids, state.range.from, action.to)]),
      };
    case 'invert':
      return { ...state, range: null, marks: new Set(action.ids.filter((id) => !state.marks.has(id))) };
    case 'markAll':
      return { ...state, range: null, marks: new Set(action.ids) };
    case 'unmark':
      return { ...state, range: null, marks: new Set() };
    case 'column':
      return stepColumn(state, action.by, action.columns);
    case 'pan':
      return { ...state, pan: within(state.pan + action.by, 0, Math.max(0, action.most)) };
    case 'sort': {
      const first = state.sort[0];
      const down = first?.id === action.id && !first.down;
      const others = state.sort.filter(({ id }) => id !== action.id);
      const sort = [{ id: action.id, down }, ...others].slice(0, SORT_KEYS_MAX);
      return { ...state, cursor: fromTop(state.cursor), sort };
    }
    case 'hide':
      return hide(state, action.columns);
    case 'resizeColumn': {
      if (state.column === null) return state;
      const width = within(action.width + action.by, WIDTH_MIN, WIDTH_MAX);
      return { ...state, widths: { ...state.widths, [state.column]: width } };
    }
    case 'showColumns':
      return { ...state, hidden: [], shown: [], order: [], widths: {} };
    case 'chooseColumns': {
      const { shown, columns } = action;
      return { ...state, shown, hidden: columns.filter((id) => !shown.includes(id)), order: columns };
    }
    case 'moveColumn':
      return moveColumn(state, action.by, action.columns);
    case 'filter':
      return {
        ...state,
        cursor: fromTop(state.cursor),
        filter: action.text,
        searched: action.text === '' ? state.searched : action.text,
      };
    case 'view': {
      const { text, facets, columns } = action;
      const searched = text === '' ? state.searched : text;
      const cursor = fromTop(state.cursor);
      return { ...state, ...columns, cursor, filter: text, searched, facets, marks: new Set(), range: null };
    }
    case 'facet': {
      const values = toggled(state.facets[action.facet] ?? [], action.value);
      const facets = { ...state.facets, [action.facet]: values };
      if (values.length === 0) delete facets[action.facet];
      return { ...state, cursor: fromTop(state.cursor), facets };
    }
    case 'clearFacets':
      return { ...state, cursor: fromTop(state.cursor), facets: {} };
    case 'facetRow':
      return { ...state, facetRow: Math.max(0, action.to) };
    case 'toggleFacets':
      // An opened facets pane takes the focus.
      return refocus({
        ...state,
        facetsOpen: !state.facetsOpen,
        focus: state.facetsOpen ? state.focus : 'facets',
      });
    case 'detail':
      return refocus({ ...state, detail: action.detail });
    case 'focus': {
      const parts = open(state);
      const at = parts.indexOf(state.focus) + action.by;
      return { ...state, focus: parts[((at % parts.length) + parts.length) % parts.length] ?? 'list' };
    }
    case 'focusOn':
      return refocus({ ...state, focus: action.focus });
    case 'scroll':
      return { ...state, scroll: { id: action.id, from: Math.max(0, action.to) } };
  }
}
