// Body of a list: facets, table and details.

import { grouped } from '@quarterdeck/views/text';
import { Box } from 'ink';
import type { ReactElement, ReactNode } from 'react';
import { type Line, wrapLine } from '../../theme/lines.ts';
import type { Tone } from '../../theme/theme.ts';
import { Lines } from '../lines.tsx';
import { type Detail, detailWindow } from './detail-lines.ts';
import { facetLines } from './facet-lines.ts';
import { barTicks, headerLine, missingLine, rowLine, scrollbar } from './table-lines.ts';
import type { List } from './use-list.ts';

interface ListBodyProps<T extends { readonly id: number }> {
  readonly list: List<T>;
  readonly detail?: Detail | undefined;
  /** Content in place of a table without rows. */
  readonly empty: (width: number, height: number) => ReactNode;
  /** Tone of a row's tick on the scroll bar, for rows that matter. */
  readonly tick?: (row: T) => Tone | undefined;
}

/** Cache key of the header; no row has this id. */
const HEADER = -1;

/** Renders the table: a header, the visible rows, the scroll bar at the right. */
export function tableLines<T extends { readonly id: number }>(
  list: List<T>,
  { tick }: Pick<ListBodyProps<T>, 'tick'> = {},
): Line[] {
  const { table, rows, extent, position, state, filter, layout, bookmarked, rowKey, remember, rowsAbove } = list;
  const height = Math.max(0, layout.table.height - 1);
  const total = extent.length;
  const toneOf = (row: T): Tone | undefined => (state.marks.has(row.id) ? 'notice' : tick?.(row));
  const bar = scrollbar(total, position.offset, height, total > height ? barTicks(rows, extent, height, toneOf) : []);
  const find = filter?.find;
  const findsAll = !list.isServed;
  const { columns, pan, width } = table;
  const widths = table.widths.join(' ');
  return [
    remember(HEADER, [columns, widths, pan, width, state.sort, state.column, rowsAbove], () => [
      ...headerLine(table, state.sort, state.column, rowsAbove === 0 ? '' : ` ${grouped(rowsAbove)} above`),
      { text: ' ' },
    ]),
    ...Array.from({ length: Math.min(height, total - position.offset) }, (_, index) => {
      const at = position.offset + index;
      const row = rows[at - extent.start];
      if (row === undefined)
        return [...missingLine(table, at === position.index, list.note), bar[index] ?? { text: ' ' }];
      const look = {
        selected: row.id === list.selected?.id,
        marked: state.marks.has(row.id),
        bookmarked: bookmarked.has(rowKey(row)),
        find,
        findsAll,
      };
      const { text, tone } = bar[index] ?? { text: ' ' };
      const inputs = [row, columns, widths, pan, width, look.selected, look.marked, look.bookmarked, find, text, tone];
      return remember(row.id, inputs, () => [...rowLine(table, row, look), { text, tone }]);
    }),
  ];
}

/** Renders the body of a list. */
export function ListBody<T extends { readonly id: number }>(props: ListBodyProps<T>): ReactElement {
  const { list, detail, empty } = props;
  const { layout, state, selected, groups } = list;
  const { facets, table, detail: pane, side, wrapped = table } = layout;
  const rows = (): Line[] => {
    const lines = tableLines(list, props);
    return wrapped === table ? lines : lines.flatMap((line) => wrapLine(line, wrapped.width));
  };
  const isFull = state.detail === 'full';
  return (
    <Box>
      {facets.width > 0 && (
        <Lines
          lines={facetLines(groups, { at: state.facetRow, focused: state.focus === 'facets', ...facets })}
          {...facets}
        />
      )}
      <Box flexDirection={side === 'beside' ? 'row' : 'column'}>
        {table.width > 0 &&
          (list.extent.length > 0 ? (
            <Lines lines={rows()} {...wrapped} />
          ) : (
            <Box {...wrapped} overflow="hidden">
              {empty(wrapped.width, wrapped.height)}
            </Box>
          ))}
        {pane.width > 0 && (
          <Lines
            lines={
              detail === undefined || selected === undefined
                ? []
                : detailWindow(detail, {
                    ...pane,
                    side: side === 'beside' && !isFull ? 'beside' : 'below',
                    from: state.scroll.id === selected.id ? state.scroll.from : 0,
                    focused: state.focus === 'detail' || isFull || table.width === 0,
                  })
            }
            {...pane}
          />
        )}
      </Box>
    </Box>
  );
}
