// The sources of an error, with the counts of each. Pure.
import type { Page } from '@quarterdeck/core';
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { sourceName, timesOf } from '@quarterdeck/views/errlog';
import { clean, grouped, shortTime } from '@quarterdeck/views/text';
import { heading } from '../../components/list/detail-lines.ts';
import { fit, width as widthOf } from '../../text/width.ts';
import type { Line } from '../../theme/lines.ts';

/** Width of the times, columns. */
const TIME = 12;

/** The sources as rows, the most frequent first; none before they are read. */
export function errorSourceLines(groups: Page<ErrlogEntry> | undefined, nowMs: number, width: number): Line[] {
  if (groups === undefined || groups.data.length < 2) return [];
  const { data, meta } = groups;
  // A range changes the order of the server, which is by all occurrences.
  const rows = data
    .toSorted((a, b) => timesOf(b) - timesOf(a))
    .map((row) => ({
      name: clean(sourceName(row)),
      times: grouped(timesOf(row)),
      last: shortTime(row.log_time, nowMs),
    }));
  const counts = Math.max(...rows.map(({ times }) => times.length));
  const names = Math.min(Math.max(...rows.map(({ name }) => widthOf(name))), width - counts - TIME - 4);
  return [
    [],
    heading(`On ${grouped(Math.max(meta.count, data.length))} sources`),
    ...rows.map(
      ({ name, times, last }): Line => [
        { text: `${fit(name, names)}  ` },
        { text: fit(times, counts, 'right') },
        { text: `  ${last}`, tone: 'muted' },
      ],
    ),
    ...(meta.count > data.length
      ? [[{ text: `and ${grouped(meta.count - data.length)} more`, tone: 'muted' as const }]]
      : []),
  ];
}
