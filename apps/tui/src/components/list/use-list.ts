// A list on the screen: state, shown rows, layout.
import { areExpressionsLoaded, type FieldNames, hasExpression, loadExpressions } from '@quarterdeck/core/filter';
import { isFilter, type ListFilter, readFilter } from '@quarterdeck/views/filters';
import {
  anchorCursor,
  type Cursor,
  type CursorPosition,
  type Extent,
  FROM_TOP,
  locateCursor,
  UNLOADED,
} from '@quarterdeck/views/lists';
import type { PartialRows } from '@quarterdeck/views/reads';
import { use, useCallback, useEffect, useMemo, useReducer, useRef, useState, useSyncExternalStore } from 'react';
import { useDashboard } from '../../context/dashboard.ts';
import type { Handler } from '../../keys/keyboard.ts';
import type { CommandOf } from '../../keys/keymap.ts';
import type { StateStore } from '../../settings/state-store.ts';
import { DrawingContext } from '../text.tsx';
import { arrangeColumns, type Column, foldedValues } from './column.ts';
import { type Facet, type FacetGroup, facetGroups, filterRows, sortRows } from './list-filter.ts';
import { type ListLayout, layOutList } from './list-layout.ts';
import { INITIAL_LIST_STATE, type ListAction, type ListState, listReducer } from './list-state.ts';
import { columnShape, namesOfShape, rowTest } from './row-test.ts';
import { createLineCache, type LineCache, layOutTable, type TableLayout } from './table-lines.ts';

interface FilterHandle {
  /** Null if everything matches, and until expressions are loaded. */
  readonly filter: ListFilter | null;
  /** Null for a literal text. */
  readonly names: FieldNames | null;
  /** Unix seconds from which ages in the filter count back. */
  readonly nowS: number;
}

/** Reads a filter over `columns`, or over the names that the server knows. The same objects until it changes. */
export function useFilter<T>(
  text: string,
  columns: readonly Column<T>[],
  { isServed, names: served }: { readonly isServed: boolean; readonly names: FieldNames | undefined },
): FilterHandle {
  const { now } = useDashboard();
  const [isLoaded, setLoaded] = useState(areExpressionsLoaded);
  const shape = columnShape(columns);
  const { needsExpressions, ...handle } = useMemo(() => {
    const nowS = Math.floor(now() / 1000);
    const names = served ?? (isServed ? null : namesOfShape(shape, nowS));
    const read = readFilter(text, names);
    const filter = isFilter(read) ? read : null;
    const needsExpressions = filter !== null && hasExpression(filter.filter);
    return { filter: needsExpressions && !isLoaded ? null : filter, names, nowS, needsExpressions };
  }, [text, shape, isServed, served, isLoaded, now]);
  useEffect(() => {
    if (needsExpressions && !isLoaded) void loadExpressions().then(() => setLoaded(true));
  }, [needsExpressions, isLoaded]);
  return handle;
}

/** A cursor that the caller keeps, such as that of a list that follows new rows. */
export interface ExternalCursor {
  readonly cursor: Cursor;
  readonly by: (delta: number) => void;
  readonly to: (index: number) => void;
}

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
  /** Names that filters know, if the server takes the filter language; else its filter is a literal text. */
  readonly names?: FieldNames;
  /** Text of the filter, if the caller keeps it. */
  readonly filterText?: string;
  /** Order of the rows, if the caller keeps it. */
  readonly order?: ListState['sort'];
  readonly own?: ExternalCursor;
  /** Id of a row on the server, which bookmarks keep; its `id` by default. */
  readonly rowKey?: (row: T) => string;
  /** Absent if all rows are loaded. */
  readonly partial?: PartialRows | undefined;
}

export interface List<T extends { readonly id: number }> {
  readonly state: ListState;
  readonly act: (action: ListAction) => void;
  /** The shown rows: filtered and in order. */
  readonly rows: readonly T[];
  readonly ids: readonly number[];
  /** Place of `rows` in the whole list. The position of the selection is that in the whole list. */
  readonly extent: Extent;
  /** Shown in the place of rows that are not loaded. */
  readonly note: string;
  /** Number of rows before the filter. */
  readonly total: number;
  /** Rows that the filter or the order of the list leaves out, because they are not loaded. */
  readonly unsearched: number;
  readonly position: CursorPosition;
  /** Rows above the window of a list that was sorted or filtered, because the selection is further down; else 0. */
  readonly rowsAbove: number;
  readonly selected: T | undefined;
  /** The marked rows, or else the selected row. */
  readonly chosen: readonly T[];
  /** Keys of the rows with a bookmark. */
  readonly bookmarked: ReadonlySet<string>;
  readonly rowKey: (row: T) => string;
  readonly groups: readonly FacetGroup[];
  /** The loaded rows before the filter. */
  readonly all: readonly T[];
  /** Unix seconds from which ages in the filter count back. */
  readonly nowS: number;
  /** The filter that is applied; null if everything matches. */
  readonly filter: ListFilter | null;
  /** Names that filters know; null for a literal text. */
  readonly names: FieldNames | null;
  /** True if the server filters and sorts. */
  readonly isServed: boolean;
  readonly columns: readonly Column<T>[];
  /** Values that all loaded rows share, in place of their columns. */
  readonly folded: readonly string[];
  /** All columns of the list, also those that are not shown. */
  readonly allColumns: readonly Column<T>[];
  readonly layout: ListLayout;
  readonly table: TableLayout<T>;
  readonly remember: LineCache;
  /** Reads all rows of the list. */
  readonly readAll: (progress: (read: number) => void) => Promise<readonly T[]>;
  /** Filters and orders rows as the list does. */
  readonly arrange: (rows: readonly T[]) => readonly T[];
  readonly mover: { readonly by: (delta: number) => void; readonly to: (index: number) => void };
}

/** Handlers of the scope `list`. */
export type ListCommands = Partial<Record<CommandOf<'info'>, Handler>>;

const keyOf = ({ id }: { readonly id: number }): string => String(id);

const hasFacets = ({ facets }: ListState): boolean => Object.keys(facets).length > 0;

/** The extent of a list; its length may be older than its rows. */
const extentOf = ({ start, length }: PartialRows, loaded: number): Extent => ({
  start,
  length: Math.max(length, start + loaded),
});

/** Reports the rows in view after each change of them. */
function useReportedView(onView: PartialRows['onView'], offset: number, height: number, needsAll: boolean): void {
  useEffect(() => onView?.({ offset, height, needsAll }), [onView, offset, height, needsAll]);
}

/** The keys of the rows with a bookmark. */
function useBookmarked(list: string, { subscribe, get }: StateStore, server: string): ReadonlySet<string> {
  const all = useSyncExternalStore(subscribe, () => get().bookmarks);
  return useMemo(
    () => new Set(all.filter((one) => one.screen === list && one.server === server).map(({ key }) => key)),
    [all, list, server],
  );
}

/** The marked rows. Of a list that is loaded in part, also those that were loaded when they were marked. */
function useMarkedRows<T extends { readonly id: number }>(
  marks: ReadonlySet<number>,
  rows: readonly T[],
  isPartial: boolean,
): readonly T[] {
  const seen = useRef<ReadonlyMap<number, T>>(new Map());
  const loaded = marks.size === 0 ? [] : rows.filter(({ id }) => marks.has(id));
  const kept = isPartial ? [...seen.current].filter(([id]) => marks.has(id)) : [];
  const all = new Map([...kept, ...loaded.map((row) => [row.id, row] as const)]);
  seen.current = all;
  return [...all.values()];
}

/** Holds a list. The user's choices are stored for the next run. */
export function useList<T extends { readonly id: number }>(options: ListOptions<T>): List<T> {
  const {
    name,
    rows: all,
    columns,
    facets = [],
    isServed = false,
    own,
    partial,
    rowKey = keyOf,
    width,
    height,
    above = 0,
  } = options;
  const { store, profile, zone } = useDashboard();
  const bookmarked = useBookmarked(name, store, profile.url);
  const [state, act] = useReducer(listReducer, undefined, () => ({
    ...INITIAL_LIST_STATE,
    ...store.get().lists[name],
  }));
  useEffect(() => store.setList(name, state), [store, name, state]);

  const { filterText = state.filter, order: sort = state.sort } = options;
  const { filter, names, nowS } = useFilter(filterText, columns, { isServed, names: options.names });
  const arrange = useCallback(
    (some: readonly T[]): readonly T[] => {
      if (isServed) return some;
      const test = filter === null ? null : rowTest(filter.filter, columns, nowS);
      return sortRows(filterRows(some, test, facets, state.facets), columns, state.sort);
    },
    [columns, filter, nowS, facets, isServed, state.facets, state.sort],
  );
  const rows = useMemo(() => arrange(all), [arrange, all]);
  const ids = useMemo(() => rows.map(({ id }) => id), [rows]);
  const needsAll = !isServed && (filter !== null || state.sort.length > 0 || state.facetsOpen || hasFacets(state));
  const extent = useMemo<Extent>(
    () => (partial === undefined || needsAll ? { start: 0, length: ids.length } : extentOf(partial, ids.length)),
    [partial, needsAll, ids.length],
  );
  const groups = useMemo(
    () => (state.facetsOpen ? (options.groups ?? facetGroups(all, facets, state.facets)) : []),
    [state.facetsOpen, state.facets, options.groups, all, facets],
  );

  const layout = layOutList(width, height - above, state, groups.length > 0, use(DrawingContext) === 'words');
  const tableRows = Math.max(1, layout.table.height - 1);
  const cursor = own?.cursor ?? state.cursor;
  // The selection stays on the first row that arrived, even if another row takes its place later.
  if (own === undefined && (cursor.id === null || cursor.id === UNLOADED)) {
    const settled = anchorCursor(cursor, ids, tableRows, extent);
    if (settled !== cursor) act({ type: 'settle', cursor: settled });
  }
  const position = locateCursor(cursor, ids, tableRows, extent);
  useReportedView(partial?.onView, position.offset, tableRows, needsAll);
  const { order, hidden, shown: chosenColumns, widths } = state;
  // The cells of new columns are drawn again, so that times follow the zone.
  const arranged = useMemo(
    () => arrangeColumns(columns, { order, hidden, shown: chosenColumns, widths }),
    [columns, order, hidden, chosenColumns, widths, zone],
  );
  const folded = useMemo(() => foldedValues(arranged, rows), [arranged, rows]);
  const foldedIds = [...folded.keys()].join(' ');
  // The same columns while the same ones are folded: unchanged rows are not drawn again.
  const shown = useMemo(() => arranged.filter(({ id }) => !folded.has(id)), [arranged, foldedIds]);
  const first = position.offset - extent.start;
  const inView = rows.slice(Math.max(0, first), Math.max(0, first + tableRows));
  const table = layOutTable(shown, inView, layout.table.width - 1, state.pan);
  const selected = rows[position.index - extent.start];
  const marked = useMarkedRows(state.marks, rows, rows.length < extent.length);
  const [remember] = useState(() => createLineCache());

  return {
    state: { ...state, filter: filterText, sort },
    act,
    rows,
    ids,
    extent,
    note: partial?.note ?? '',
    total: partial?.length ?? all.length,
    unsearched: needsAll ? Math.max(0, (partial?.length ?? 0) - all.length) : 0,
    position,
    rowsAbove: cursor.line === FROM_TOP ? position.offset : 0,
    selected,
    bookmarked,
    rowKey,
    chosen: marked.length > 0 ? marked : selected === undefined ? [] : [selected],
    groups,
    all,
    nowS,
    filter,
    names,
    isServed,
    columns: shown,
    folded: [...folded.values()],
    allColumns: columns,
    layout,
    table,
    remember,
    readAll: async (progress) => ((await partial?.readAll?.(progress)) as readonly T[] | undefined) ?? all,
    arrange,
    mover: own ?? {
      by: (by) => act({ type: 'move', by, ids, extent, height: tableRows }),
      to: (index) => act({ type: 'moveTo', index, ids, extent, height: tableRows }),
    },
  };
}
