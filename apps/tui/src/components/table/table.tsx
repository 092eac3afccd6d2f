// A table of which only the rows in view exist. A row that looks the same as before is not rendered again.
import { Box } from 'ink';
import { memo, type ReactElement, useMemo } from 'react';
import { clean } from '../../text/clean.ts';
import { fit } from '../../text/width.ts';
import type { Tone } from '../../theme.ts';
import { type Run, Runs } from '../text.tsx';
import { type ColumnSize, fitColumns, GAP } from './columns.ts';

/** One cell. */
export interface Cell {
  readonly text: string;
  readonly tone?: Tone;
}

/** One column of rows of type T. */
export interface Column<T> extends ColumnSize {
  readonly title: string;
  readonly align?: 'left' | 'right';
  readonly cell: (row: T) => Cell;
}

interface TableProps<T extends { readonly id: number }> {
  readonly columns: readonly Column<T>[];
  /** The rows in view. */
  readonly rows: readonly T[];
  readonly selectedId: number | undefined;
  readonly width: number;
}

// The mark makes the selection visible where inversion is not.
const MARK = '▌';
const MARK_WIDTH = 1;

function layOut(cells: readonly { text: string; tone?: Tone; width: number; align?: 'left' | 'right' }[]): Run[] {
  const shown = cells.filter(({ width }) => width > 0);
  return shown.map(({ text, tone, width, align }, index) => ({
    text: fit(clean(text), width, align) + ' '.repeat(index === shown.length - 1 ? 0 : GAP),
    tone,
  }));
}

interface RowProps {
  readonly runs: readonly Run[];
  readonly selected: boolean;
  /** Columns of the whole row. */
  readonly width: number;
}

const sameRuns = (a: readonly Run[], b: readonly Run[]): boolean =>
  a.length === b.length && a.every((run, index) => run.text === b[index]?.text && run.tone === b[index]?.tone);

const TableRow = memo(
  ({ runs, selected, width }: RowProps): ReactElement =>
    selected ? (
      <Runs runs={[{ text: fit(MARK + runs.map(({ text }) => text).join(''), width), tone: 'selected' }]} />
    ) : (
      <Runs runs={[{ text: ' ' }, ...runs]} />
    ),
  (before, after) =>
    before.selected === after.selected && before.width === after.width && sameRuns(before.runs, after.runs),
);

/** Header and rows. As high as it has rows, plus one. */
export function Table<T extends { readonly id: number }>(props: TableProps<T>): ReactElement {
  const { columns, rows, selectedId, width } = props;
  const widths = useMemo(() => fitColumns(columns, width - MARK_WIDTH - 1), [columns, width]);
  const size = (index: number): { width: number; align?: 'left' | 'right' } => {
    const align = columns[index]?.align;
    return { width: widths[index] ?? 0, ...(align === undefined ? {} : { align }) };
  };
  const header = layOut(columns.map(({ title }, index) => ({ text: title, ...size(index) })));
  return (
    <Box flexDirection="column">
      <Runs runs={[{ text: ' ' }, ...header.map(({ text }) => ({ text, tone: 'muted' as const }))]} />
      {rows.map((row) => (
        <TableRow
          key={row.id}
          selected={row.id === selectedId}
          width={width - 1}
          runs={layOut(columns.map(({ cell }, index) => ({ ...cell(row), ...size(index) })))}
        />
      ))}
    </Box>
  );
}
