// The axes of a chart over time: numbers at the left, times below. Pure.
import { clock, count, momentOf, monthDay, wallTime, zoneName } from '@quarterdeck/views/text';
import { fit } from '../../text/width.ts';
import type { ChartGlyphs } from '../../theme/glyphs.ts';
import type { Line } from '../../theme/lines.ts';
import { type Bucket, histogramLines, sumOf } from './histogram.ts';

/** Columns of the numbers and of their axis. */
export const AXIS_COLUMNS = 6;

/** Share of the bars that may be higher than the axis: spikes. */
const SPIKES_SHARE = 0.1;
/** Fewest bars with an axis that is lower than the highest one. */
const BARS_MIN = 4;
/** Lowest spike, as a multiple of the highest other bar. */
const SPIKE_MIN = 4;

/** The scale of the numbers. */
export interface Scale {
  /** The value at the top of the axis. */
  readonly top: number;
  readonly peak: number;
}

/** Returns the smallest round number that is not below a value. */
function roundUp(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return unit * ([1, 2, 3, 4, 5, 6, 8].find((digit) => digit * unit >= value) ?? 10);
}

/** Returns the scale of some bars. A few spikes are higher than the axis, so that the other bars stay visible. */
export function scaleOf(values: readonly number[]): Scale {
  const peak = Math.max(0, ...values);
  // A bucket of the server fills several columns.
  const bars = values.filter((value, at) => value > 0 && value !== values[at - 1]).sort((a, b) => b - a);
  const usual = bars[Math.max(1, Math.floor(bars.length * SPIKES_SHARE))] ?? peak;
  const hasSpikes = bars.length >= BARS_MIN && peak >= usual * SPIKE_MIN;
  return { top: roundUp(hasSpikes ? usual * 1.5 : peak), peak };
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Steps of a scale of time, seconds. */
export const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365].map((days) => days * DAY),
];
/** Fewest columns from one time to the next. */
const TICK_COLUMNS = 10;

/** Returns the moments of the ticks, at round times of the shown zone; Unix seconds. */
function tickMoments(startS: number, endS: number, columns: number): number[] {
  const step =
    STEPS.find((seconds) => (columns * seconds) / (endS - startS) >= TICK_COLUMNS) ?? (STEPS.at(-1) as number);
  const [year, month, day] = wallTime(new Date(startS * 1000));
  const ticks: number[] = [];
  for (let n = 0; ; n += 1) {
    // Days have different lengths where the clock changes.
    const seconds = step >= DAY ? 0 : n * step;
    const days = step >= DAY ? (n * step) / DAY : 0;
    const at = momentOf([year, month, day + days, 0, 0, seconds]) / 1000;
    if (at >= endS) return ticks;
    if (at >= startS) ticks.push(at);
  }
}

/** The times below a chart, with the zone in front of them. `isNow`: the chart ends at the present. */
export function tickLine(startS: number, endS: number, columns: number, isNow: boolean): Line {
  const end = isNow ? 'now' : '';
  let text = '';
  for (const at of columns < TICK_COLUMNS ? [] : tickMoments(startS, endS, columns)) {
    const date = new Date(at * 1000);
    const time = clock(date).slice(0, 5);
    const label = `╵${time === '00:00' ? monthDay(date) : time}`;
    const column = Math.floor(((at - startS) / (endS - startS)) * columns);
    if (column > text.length - (text === '' ? 1 : 0) && column + label.length <= columns - end.length - 1)
      text = text.padEnd(column) + label;
  }
  return [
    { text: `${fit(zoneName(endS * 1000), AXIS_COLUMNS - 1, 'right')} `, tone: 'faint' },
    { text: text.padEnd(columns - end.length) + end, tone: 'muted' },
  ];
}

/** A chart over time. */
export interface TimeChart {
  readonly buckets: readonly Bucket[];
  readonly startS: number;
  readonly endS: number;
  readonly isNow: boolean;
}

/** Draws a chart with its axes in exactly `width` and `rows`. */
export function axisChart(
  { buckets, startS, endS, isNow }: TimeChart,
  { width, rows, glyphs }: { readonly width: number; readonly rows: number; readonly glyphs: ChartGlyphs },
): Line[] {
  const columns = Math.max(1, width - AXIS_COLUMNS);
  const { top } = scaleOf(buckets.map(sumOf));
  const high = Math.max(1, rows - 1);
  const hasMiddle = high >= 4 && high % 2 === 0 && top % 2 === 0;
  const labelOf = (row: number): string => {
    if (row === 0) return count(top);
    if (row === high - 1) return '0';
    return hasMiddle && row === high / 2 ? count(top / 2) : '';
  };
  const lines = histogramLines(buckets, { columns, rows: high, alphabet: glyphs, top });
  return [
    ...lines.map((line, row): Line => {
      const label = labelOf(row);
      return [
        { text: fit(label, AXIS_COLUMNS - 1, 'right'), tone: 'muted' },
        { text: label === '' ? '│' : '┤', tone: 'faint' },
        ...line,
      ];
    }),
    tickLine(startS, endS, columns, isNow),
  ];
}
