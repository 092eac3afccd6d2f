// A column of moments. Pure.

import { shortTime } from '@quarterdeck/views/text';
import type { Column } from '../../components/list/column.ts';

/** A column of moments in Unix seconds, the oldest first unless `value` says otherwise. */
export const momentColumn = <T>(
  id: string,
  title: string,
  moment: (row: T) => number,
  nowMs: number,
  rest: Pick<Column<T>, 'drop' | 'value'>,
): Column<T> => ({
  id,
  title,
  width: 12,
  cell: (row) => ({ text: shortTime(moment(row), nowMs), tone: 'muted' }),
  value: moment,
  moment,
  ...rest,
});
