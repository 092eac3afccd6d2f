// What the mouse does in a list: a click chooses, a second one opens, one on a heading sorts; the wheel moves through
// what is under it. Whatever is done is done by the commands of the keys.
import type { Mouse } from '../../terminal/index.ts';
import { sortBy } from './column-commands.ts';
import { facetFrom, facetRows } from './facet-lines.ts';
import type { ListExtras } from './list-commands.ts';
import type { Focus } from './list-state.ts';
import { columnAt } from './table-lines.ts';
import type { List, ListCommands } from './use-list.ts';

/** Rows that one step of the wheel goes. */
const WHEEL_ROWS = 3;

/** What the mouse needs besides the list. */
export interface MouseOptions {
  /** Row of the terminal in which the list begins. */
  readonly top: number;
  readonly commands: ListCommands;
  readonly extras: ListExtras;
}

/** Which part of a list is at a place of it; null: none. */
function partAt<T extends { readonly id: number }>(list: List<T>, column: number, row: number): Focus | null {
  const { facets, table, detail, side } = list.layout;
  if (row < 0) return null;
  if (column < facets.width) return 'facets';
  if (row < table.height && column < facets.width + table.width) return 'list';
  return detail.width > 0 && (side === 'beside' || row >= table.height) ? 'detail' : null;
}

/** Hears the mouse for a list. */
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
    const index = list.spot.offset + row - 1;
    const hit = list.rows[index];
    if (hit === undefined) return;
    if (hit.id === list.selected?.id) (commands.open ?? commands.enlarge)?.(1);
    else list.mover.to(index);
  };

  return (mouse) => {
    const row = mouse.row - top;
    const part = partAt(list, mouse.column, row);
    if (part === null) return;
    // The keys of the part under the mouse are there after the next render: the first step only goes there.
    if (part !== state.focus && state.detail !== 'full') act({ type: 'focusOn', focus: part });
    if (mouse.kind === 'wheel') {
      const times = part === 'facets' ? 1 : WHEEL_ROWS;
      if (part === state.focus || state.detail === 'full') (mouse.by > 0 ? commands.down : commands.up)?.(times);
    } else if (part === 'list' && (state.focus === 'list' || row === 0))
      clickRow(mouse.column - layout.facets.width, row);
    else if (part === 'facets' && state.focus === 'facets') clickFacet(row);
  };
}
