// Commands that print a list as text: in the pager, or as bare text for the terminal's own selection.
import { clean } from '@quarterdeck/views/text';
import type { Line } from '../../theme/lines.ts';
import { cellText } from './column.ts';
import type { Detail } from './detail-lines.ts';
import type { ListContext } from './list-context.ts';
import type { List, ListCommands } from './use-list.ts';

/** Width at which nothing wraps; the pager wraps. */
const UNWRAPPED = 100_000;

const textOf = (line: Line): string => clean(line.map(({ text }) => text).join('')).trimEnd();

/** Returns the details as text, line by line. */
export const detailText = (detail: Detail): string[] => [detail.title, '', ...detail.lines(UNWRAPPED).map(textOf)];

function rowsText<T extends { readonly id: number }>(list: List<T>, rows: readonly T[]): string[] {
  return rows.map((row) => list.columns.map((column) => clean(cellText(column, row)).trim()).join('  '));
}

export function terminalCommands<T extends { readonly id: number }>(
  list: List<T>,
  { terminal, say }: ListContext,
  detail: Detail | undefined,
): ListCommands {
  if (terminal === null || list.rows.length === 0) return {};
  const { state, layout, position, extent } = list;
  const first = Math.max(0, position.offset - extent.start);
  const isReading = detail !== undefined && (state.detail === 'full' || state.focus === 'detail');
  const inView = list.rows.slice(first, first + Math.max(1, layout.table.height - 1));
  return {
    bareText: () => terminal.bare(isReading ? detailText(detail) : rowsText(list, inView)),
    pager: () => {
      const text = detail !== undefined && state.detail !== 'closed' ? detailText(detail) : rowsText(list, list.rows);
      void terminal.page(`${text.join('\n')}\n`).then((problem) => {
        if (problem !== null) say({ tone: 'warning', text: problem });
      });
    },
  };
}
