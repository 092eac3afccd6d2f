// The chart over the list: occurrences by level. Pure.
import { type ErrlogHistogram, levelName } from '@quarterdeck/core';
import { ERROR_LEVEL } from '@quarterdeck/views/errlog';
import { count } from '@quarterdeck/views/text';
import { bucketText } from '@quarterdeck/views/times';
import { AXIS_COLUMNS, axisChart } from '../../components/charts/axis.ts';
import { type Bucket, bucketsIn } from '../../components/charts/histogram.ts';
import { width as widthOf } from '../../text/width.ts';
import type { Glyphs } from '../../theme/glyphs.ts';
import { type Line, lineWidth, type Run, sliceLine, spread } from '../../theme/lines.ts';
import { type BaseTone, levelGlyph, levelTone } from '../../theme/theme.ts';

/** Rows of a chart from which it has a legend. */
const LEGEND_FROM = 5;
const CHART_ROWS_MAX = 8;
/** Part of the body's rows that a high chart may take. */
const CHART_SHARE = 1 / 4;

/** Size of the chart over the list: low unless somebody asks for a high one. */
export type ChartSize = 'low' | 'high' | 'closed';

/** Rows of a low chart: two of bars and one of times. */
const LOW_ROWS = 3;

/** Columns that the counts of the levels need beside the word `peak`. */
const LEVELS_MIN = 16;
/** Fewest rows of the body for a chart; below, the list and the details need the room. */
const BODY_MIN = { alone: 18, withDetail: 30 };

/** Rows of the chart; 0 without room. */
export function chartRows(height: number, size: ChartSize, hasDetail: boolean): number {
  if (size === 'closed' || height < (hasDetail ? BODY_MIN.withDetail : BODY_MIN.alone)) return 0;
  if (size === 'low') return LOW_ROWS;
  return Math.max(LEGEND_FROM, Math.min(CHART_ROWS_MAX, Math.floor(height * CHART_SHARE)));
}

/** Blank part of a chart at its start above which it begins where its data does. */
const BLANK_MAX = 1 / 4;
/** Least part of the time of a chart that is shown. */
const FITTED_MIN = 1 / 8;

/** Lets a chart that ends now begin shortly before its first bar, if it would be blank for long. */
export function fitToData(histogram: ErrlogHistogram): ErrlogHistogram {
  const { start, end, step, buckets } = histogram;
  const first = buckets.find(({ count: value }) => value > 0)?.time ?? start;
  const span = end - start;
  if (first - start <= span * BLANK_MAX) return histogram;
  const fitted = Math.min(first - step, end - span * FITTED_MIN);
  return { ...histogram, start: start + Math.floor((fitted - start) / step) * step };
}

/** Number of buckets to request. */
export const chartBuckets = (width: number, glyphs: Glyphs): number =>
  Math.max(1, Math.min(1_500, bucketsIn(width - 2 - AXIS_COLUMNS, glyphs.chart)));

/** Number of buckets of the chart on a screen of `width` columns. */
export const overviewBuckets = (width: number, glyphs: Glyphs): number => chartBuckets(width - 2, glyphs);

/** Size and end of a chart. */
export interface ChartOptions {
  readonly width: number;
  readonly rows: number;
  readonly glyphs: Glyphs;
  /** True if it ends at the present. */
  readonly isNow: boolean;
  /** True if it may begin where its data does: nobody has chosen its time. */
  readonly fits: boolean;
  readonly nowMs: number;
}

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
    const name = { text: `${levelGlyph(level)} ${levelName(level)} `, tone: levelTone(level) };
    const pair: Run[] = [name, { text: `${count(value)}   ` }];
    room -= lineWidth(pair);
    if (room < 0) break;
    runs.push(...pair);
  }
  return runs;
}

/** Occurrences by level, summed up over time. */
export const levelTotals = ({ buckets }: ErrlogHistogram): number[] =>
  buckets.reduce<number[]>((sums, { levels }) => levels.map((value, level) => value + (sums[level] ?? 0)), []);

/** The highest bar and its span, `31.2k, 20:30-20:40`; empty without any. */
function peakText({ buckets, step }: ErrlogHistogram, nowMs: number): string {
  const peak = buckets.reduce((best, bucket) => (bucket.count > best.count ? bucket : best), { time: 0, count: 0 });
  return peak.count === 0 ? '' : `${count(peak.count)}, ${bucketText(peak.time, peak.time + step, nowMs)}`;
}

/** The line below a chart: the counts of the levels, as far as there is room, and the highest bar with its span. */
export function legendLine(histogram: ErrlogHistogram, width: number, nowMs: number): Line {
  const peak = peakText(histogram, nowMs);
  const named = `peak ${peak}`;
  const shown = peak === '' || widthOf(named) + AXIS_COLUMNS + LEVELS_MIN > width ? peak : named;
  const levels = levelRuns(levelTotals(histogram), width - AXIS_COLUMNS - widthOf(shown) - 1);
  return spread([{ text: ' '.repeat(AXIS_COLUMNS) }, ...levels], [{ text: shown, tone: 'muted' }], width);
}

/** Writes a text into the first blank part of a row that has room for it, else over the end of the row. */
function writeInto(line: Line, text: string): Line {
  const row = line.map((run) => run.text).join('');
  const found = row.search(new RegExp(`[ \u2800]{${text.length + 2}}`)) + 1;
  const at = found > 0 ? found : Math.max(0, row.length - text.length);
  const end = at + text.length;
  return [...sliceLine(line, 0, at), { text, tone: 'muted' }, ...sliceLine(line, end, row.length - end)];
}

/** The chart of a histogram with its axes, and with its legend where there is room, as `rows` rows. */
export function histogramChart(
  histogram: ErrlogHistogram,
  { width, rows, glyphs, isNow, fits, nowMs }: ChartOptions,
): Line[] {
  const shown = fits ? fitToData(histogram) : histogram;
  const { start: startS, end: endS } = shown;
  const buckets = spreadBuckets(shown, bucketsIn(Math.max(1, width - AXIS_COLUMNS), glyphs.chart));
  const hasLegend = rows >= LEGEND_FROM;
  const size = { width, rows: hasLegend ? rows - 1 : rows, glyphs: glyphs.chart };
  const [top = [], ...others] = axisChart({ buckets, startS, endS, isNow }, size);
  if (hasLegend) return [top, ...others, legendLine(histogram, width, nowMs)];
  const peak = peakText(histogram, nowMs);
  return [writeInto(top, peak === '' ? '' : `peak ${peak}`), ...others];
}

/** The chart over the list, with a margin. */
export const chartLines = (histogram: ErrlogHistogram, options: ChartOptions): Line[] =>
  histogramChart(histogram, { ...options, width: options.width - 2 }).map((line): Line => [{ text: ' ' }, ...line]);
