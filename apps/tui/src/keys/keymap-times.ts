// Keys of the time: range, zone, go to a time.
import type { Binding } from '@quarterdeck/views/keys';

/** Commands of the range and of the zone, in the scope `app`. */
export const RANGE_KEYS = {
  timeRange: { keys: ['@ @'], help: 'Choose the time range', word: 'range', takes: 'a time' },
  typeRange: { keys: ['@ t'], help: 'Type the time range', plain: true },
  since: { keys: [], help: 'Show the time since a moment: since 2h, since 10:00', word: 'since', takes: 'a time' },
  from: { keys: [], help: 'Show the time between two moments: from 10:00 to 11:02', word: 'from', takes: 'a time' },
  until: { keys: [], help: 'Show the time until a moment: until 11:02', word: 'until', takes: 'a time' },
  lastHour: { keys: ['@ h'], help: 'Show the last hour', word: 'hour' },
  lastDay: { keys: ['@ d'], help: 'Show the last day', word: 'day' },
  lastWeek: { keys: ['@ w'], help: 'Show the last 7 days', word: 'week' },
  allTimes: { keys: ['@ 0'], help: 'Show all times', word: 'alltime' },
  zone: { keys: ['@ z'], help: 'Switch all times between local and UTC', word: 'zone', takes: 'local or utc' },
} as const satisfies Record<string, Binding>;

/** The scope `times`: commands of lists whose rows have times, with a chart. */
export const TIMES_KEYS = {
  goToTime: { keys: ['@ g'], help: 'Go to a time: goto 10:35', word: 'goto', takes: 'a time' },
  chartRange: { keys: ['@ c', 'b t'], help: 'Show only the time of the chart', word: 'chart-time' },
} as const satisfies Record<string, Binding>;
