// Mouse in a list. A click selects a row, a second one opens it, a click on a heading sorts. The wheel scrolls the part
// below it. All actions are commands of the keys.
import type { Mouse } from '../../terminal/index.ts';
import { sortBy } from './column-commands.ts';
import { facetFrom, facetRows } from './facet-lines.ts';
import type { ListExtras } from './list-context.ts';
import type { Focus } from './list-state.ts';
import { columnAt } from './table-lines.ts';
import type { List, ListCommands } from './use-list.ts';

/** Rows of one step of the wheel. */
const WHEEL_ROWS = 3;

export interface MouseOptions {
  /** First row of the list on the terminal. */
  readonly top: number;
  readonly commands: ListCommands;
  readonly extras: ListExtras;
}

/** Returns the part of a list at a position; null outside. */
function partAt<T extends { readonly id: number }>(list: List<T>, column: number, row: number): Focus | null {
  const { facets, table, detail, side } = list.layout;
  if (row < 0) return null;
  if (column < facets.width) return 'facets';
  if (row < table.height && column < facets.width + table.width) return 'list';
  return detail.width > 0 && (side === 'beside' || row >= table.height) ? 'detail' : null;
}

/** Returns the mouse handler of a list. */
export function listMouse<T extends { readonly id: number }>(
  list: List<T>,
  { top, commands, extras }: MouseOptions,
): (mouse: Mouse) => void {
  const { layout, state, act } = list;

  const clickFacet = (row: number): void => {
    const rows = facetRows(list.groups);
    const at = facetFrom(rows.length, state.facetRow, layout.facets.height) + row;
    if (rows[at]?.kind !== 'value') return;
    if (state.facetRow === at) commands.choose?.(1);
    else act({ type: 'facetRow', to: at });
  };
  const clickRow = (column: number, row: number): void => {
    if (row === 0) {
      const id = columnAt(list.table, column);
      if (id !== null) sortBy(list, extras, id);
      return;
    }
    const index = list.position.offset + row - 1;
    if (index >= list.extent.length) return;
    const hit = list.rows[index - list.extent.start];
    if (hit !== undefined && hit.id === list.selected?.id) (commands.open ?? commands.enlarge)?.(1);
    else list.mover.to(index);
  };

  return (mouse) => {
    const row = mouse.row - top;
    const part = partAt(list, mouse.column, row);
    if (part === null) return;
    // The keys of another part are bound after the next render, so the first step only moves the focus.
    if (part !== state.focus && state.detail !== 'full') act({ type: 'focusOn', focus: part });
    if (mouse.kind === 'wheel') {
      const times = part === 'facets' ? 1 : WHEEL_ROWS;
      if (part === state.focus || state.detail === 'full') (mouse.by > 0 ? commands.down : commands.up)?.(times);
    } else if (part === 'list' && (state.focus === 'list' || row === 0))
      clickRow(mouse.column - layout.facets.width, row);
    else if (part === 'facets' && state.focus === 'facets') clickFacet(row);
  };
}
