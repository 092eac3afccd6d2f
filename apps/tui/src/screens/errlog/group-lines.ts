// The newest lines of an error, with the fields that differ between them. Pure.

import type { Line as LogLine } from '@quarterdeck/core';
import { growShape, NO_SHAPE } from '@quarterdeck/views/lines';
import { hasData, type Query } from '@quarterdeck/views/reads';
import { queryLines } from '../../components/list/detail-lines.ts';
import { headerLine, layOutTable, rowLine } from '../../components/list/table-lines.ts';
import type { Line } from '../../theme/lines.ts';
import { groupColumns, lineWidths } from '../shared/line-columns.ts';

/** Lines shown in the details of an error. */
const SHOWN = 6;

interface GroupLinesContext {
  /** Key that opens all lines. */
  readonly openKey: string | undefined;
  readonly nowMs: number;
  readonly width: number;
}

/** The table of the newest lines and a blank row; only the blank row for an error without stored lines. */
export function groupLines(
  query: Query<readonly LogLine[]>,
  count: number,
  { openKey, nowMs, width }: GroupLinesContext,
): Line[] {
  if (!hasData(query)) {
    // As many rows as the lines will take, so that the facts below them stay in place.
    const blank = Array.from({ length: Math.min(SHOWN, count) + 1 }, (): Line => []);
    return [...queryLines(query, 'Reading the lines…', width), ...blank];
  }
  const lines = query.data;
  const oldest = lines.at(-1);
  if (oldest === undefined) return [[]];
  const columns = groupColumns(lineWidths(growShape(NO_SHAPE, lines), oldest.time, nowMs), nowMs);
  const table = layOutTable(columns, lines, width, 0);
  const look = { selected: false, marked: false, find: undefined, findsAll: false };
  const more = openKey === undefined ? '' : `${openKey} shows all lines of the error.`;
  return [
    headerLine(table, [], null),
    ...lines.slice(0, SHOWN).map((line) => rowLine(table, line, look)),
    [{ text: more, tone: 'muted' }],
    [],
  ];
}
