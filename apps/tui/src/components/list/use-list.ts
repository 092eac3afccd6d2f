// A list on the screen: state, shown rows, layout.
import { use, useEffect, useMemo, useReducer, useState } from 'react';
import { useDashboard } from '../../data/dashboard.ts';
import type { Handler } from '../../keys/keyboard.ts';
import type { CommandOf } from '../../keys/keymap.ts';
import { anchorCursor, type Cursor, type CursorPosition, locateCursor } from '../table/cursor.ts';
import { DrawingContext } from '../text.tsx';
import { arrangeColumns, type Column } from './column.ts';
import {
  type Facet,
  type FacetGroup,
  type Filter,
  facetGroups,
  filterRows,
  readFilter,
  sortRows,
} from './list-filter.ts';
import { type ListLayout, layOutList } from './list-layout.ts';
import { INITIAL_LIST_STATE, type ListAction, type ListState, listReducer } from './list-state.ts';
import { createLineCache, type LineCache, layOutTable, type TableLayout } from './table-lines.ts';

/** A cursor that the caller keeps, such as that of a list that follows new rows. */
export interface ExternalCursor {
  readonly cursor: Cursor;
  readonly by: (delta: number) => void;
  readonly to: (index: number) => void;
}

/** Options of {@link useList}. */
export interface ListOptions<T extends { readonly id: number }> {
  /** Name under which the choices are stored. */
  readonly name: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly facets?: readonly Facet<T>[];
  /** Facets that the server has counted. */
  readonly groups?: readonly FacetGroup[];
  readonly width: number;
  readonly height: number;
  /** Rows of the screen above the table. */
  readonly above?: number;
  /** Set if the server filters and sorts; rows are shown as they come. */
  readonly isServed?: boolean;
  /** Order of the rows, if the caller keeps it. */
  readonly order?: ListState['sort'];
  readonly own?: ExternalCursor;
}

/** A list. */
export interface List<T extends { readonly id: number }> {
  readonly state: ListState;
  readonly act: (action: ListAction) => void;
  /** The shown rows: filtered and in order. */
  readonly rows: readonly T[];
  readonly ids: readonly number[];
  /** Number of rows before the filter. */
  readonly total: number;
  readonly position: CursorPosition;
  readonly selected: T | undefined;
  /** The marked rows, or else the selected row. */
  readonly chosen: readonly T[];
  readonly groups: readonly FacetGroup[];
  readonly filter: Filter | null;
  readonly columns: readonly Column<T>[];
  readonly layout: ListLayout;
  readonly table: TableLayout<T>;
  readonly remember: LineCache;
  readonly mover: { readonly by: (delta: number) => void; readonly to: (index: number) => void };
}

/** Handlers of the scope `list`. */
export type ListCommands = Partial<Record<CommandOf<'info'>, Handler>>;

/** Holds a list. The user's choices are stored for the next run. */
export function useList<T extends { readonly id: number }>(options: ListOptions<T>): List<T> {
  const { name, rows: all, columns, facets = [], isServed = false, own, width, height, above = 0 } = options;
  const { store } = useDashboard();
  const [state, act] = useReducer(listReducer, undefined, () => ({
    ...INITIAL_LIST_STATE,
    ...store.get().lists[name],
  }));
  useEffect(() => store.setList(name, state), [store, name, state]);

  const filter = useMemo(() => readFilter(state.filter), [state.filter]);
  const rows = useMemo(() => {
    if (isServed) return all;
    return sortRows(filterRows(all, columns, filter, facets, state.facets), columns, state.sort);
  }, [all, columns, filter, facets, isServed, state.facets, state.sort]);
  const ids = useMemo(() => rows.map(({ id }) => id), [rows]);
  const groups = useMemo(
    () => (state.facetsOpen ? (options.groups ?? facetGroups(all, facets, state.facets)) : []),
    [state.facetsOpen, state.facets, options.groups, all, facets],
  );

  const layout = layOutList(width, height - above, state, groups.length > 0, use(DrawingContext) === 'words');
  const tableRows = Math.max(1, layout.table.height - 1);
  const cursor = own?.cursor ?? state.cursor;
  // The selection stays on the first row that arrived, even if another row takes its place later.
  if (own === undefined && cursor.id === null && ids.length > 0) {
    act({ type: 'settle', cursor: anchorCursor(cursor, ids, tableRows) });
  }
  const position = locateCursor(cursor, ids, tableRows);
  const { order, hidden, widths } = state;
  const shown = useMemo(() => arrangeColumns(columns, { order, hidden, widths }), [columns, order, hidden, widths]);
  const inView = rows.slice(position.offset, position.offset + tableRows);
  const table = layOutTable(shown, inView, layout.table.width - 1, state.pan);
  const selected = rows[position.index];
  const marked = state.marks.size === 0 ? [] : rows.filter(({ id }) => state.marks.has(id));
  const [remember] = useState(() => createLineCache());

  return {
    state: options.order === undefined ? state : { ...state, sort: options.order },
    act,
    rows,
    ids,
    total: all.length,
    position,
    selected,
    chosen: marked.length > 0 ? marked : selected === undefined ? [] : [selected],
    groups,
    filter,
    columns: shown,
    layout,
    table,
    remember,
    mover: own ?? {
      by: (by) => act({ type: 'move', by, ids, height: tableRows }),
      to: (index) => act({ type: 'moveTo', index, ids, height: tableRows }),
    },
  };
}
