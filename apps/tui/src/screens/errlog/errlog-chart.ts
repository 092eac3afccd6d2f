// The chart over the list: occurrences by level. Pure.
import { type ErrlogHistogram, levelName } from '@quarterdeck/core';
import { type Bucket, bucketsIn, histogramLines } from '../../components/charts/histogram.ts';
import type { Glyphs } from '../../components/glyphs.ts';
import { count, momentText, span } from '../../text/format.ts';
import { type Line, lineWidth, type Run, spread } from '../../text/lines.ts';
import { width as widthOf } from '../../text/width.ts';
import { type BaseTone, levelGlyph, levelTone } from '../../theme.ts';
import type { ChartWindow } from './chart-window.ts';
import { ERROR_LEVEL } from './levels.ts';

/** Rows of the chart with its axis. */
const CHART_ROWS = 4;
/** Fewest rows of the body for a chart; below, the list and the details need the room. */
const BODY_MIN = { alone: 18, withDetail: 30 };

/** Rows of the chart; 0 without room. */
export const chartRows = (height: number, isOpen: boolean, hasDetail: boolean): number =>
  isOpen && height >= (hasDetail ? BODY_MIN.withDetail : BODY_MIN.alone) ? CHART_ROWS : 0;

/** Number of buckets to request. */
export const chartBuckets = (width: number, glyphs: Glyphs): number =>
  Math.max(1, Math.min(1_500, bucketsIn(width - 2, glyphs.chart)));

/** The tone of a level in a chart. The worst levels share one; the names below tell them apart. */
export const chartTone = (level: number): BaseTone => (level < ERROR_LEVEL ? 'worst' : levelTone(level));

/** Spreads the buckets of the server, which are whole minutes, over those of the chart. */
export function spreadBuckets({ start, end, buckets, step }: ErrlogHistogram, most: number): Bucket[] {
  const counts: (number[] | undefined)[] = Array.from({ length: most });
  const perBucket = (end - start) / most;
  for (const { time, count: value, levels } of buckets) {
    if (value === 0) continue;
    const first = Math.max(0, Math.floor((time - start) / perBucket));
    // A bucket of the server fills all columns that it covers.
    const last = Math.min(most - 1, Math.max(first, Math.ceil((time + step - start) / perBucket) - 1));
    for (let at = first; at <= last; at += 1) {
      const before = counts[at];
      counts[at] = levels.map((n, level) => Math.max(n, before?.[level] ?? 0));
    }
  }
  return counts.map((levels = []) =>
    levels.flatMap((value, level) => (value === 0 ? [] : [{ value, tone: chartTone(level) }])),
  );
}

/** The counts of the levels, the worst first, as many as fit. */
function levelRuns(totals: readonly number[], columns: number): Run[] {
  const runs: Run[] = [];
  let room = columns;
  for (const [level, value] of totals.entries()) {
    if (value === 0) continue;
    const tone = chartTone(level);
    const pair: Run[] = [{ text: `${levelGlyph(level)} ${levelName(level)} `, tone }, { text: `${count(value)}   ` }];
    room -= lineWidth(pair);
    if (room < 0) break;
    runs.push(...pair);
  }
  return runs;
}

/** Occurrences by level, summed up over time. */
export const levelTotals = ({ buckets }: ErrlogHistogram): number[] =>
  buckets.reduce<number[]>((sums, { levels }) => levels.map((value, level) => value + (sums[level] ?? 0)), []);

/** The line below a chart: its two ends and the counts of the levels. */
export function axisLine(histogram: ErrlogHistogram, from: string, to: string, width: number): Line {
  const room = width - widthOf(from) - widthOf(to) - 5;
  return spread(
    [{ text: from, tone: 'faint' }, { text: '   ' }, ...levelRuns(levelTotals(histogram), room)],
    [{ text: to, tone: 'faint' }],
    width,
  );
}

/** The chart and its axis as rows. */
export function chartLines(
  histogram: ErrlogHistogram,
  options: {
    readonly width: number;
    readonly rows: number;
    readonly window: ChartWindow;
    readonly glyphs: Glyphs;
    readonly nowMs: number;
  },
): Line[] {
  const { width, rows, window, glyphs, nowMs } = options;
  const inner = width - 2;
  const buckets = spreadBuckets(histogram, bucketsIn(inner, glyphs.chart));
  const from = window.endS === null ? `${span(window.spanS * 1000)} ago` : momentText(histogram.start, nowMs);
  const to = window.endS === null ? 'now' : momentText(histogram.end, nowMs);
  const axis = axisLine(histogram, from, to, inner);
  return [...histogramLines(buckets, inner, rows - 1, glyphs.chart), axis].map(
    (line): Line => [{ text: ' ' }, ...line],
  );
}
