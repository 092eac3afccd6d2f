// The time window of the chart. Pure.
import type { TimeRange } from './range.ts';

/** A span and its end; null for now. */
export interface ChartWindow {
  readonly spanS: number;
  readonly endS: number | null;
}

const HOUR = 3_600;
const DAY = 24 * HOUR;
const SPANS = [HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 3 * DAY, 7 * DAY, 30 * DAY] as const;

export const LAST_DAY_WINDOW: ChartWindow = { spanS: DAY, endS: null };

/** The window of a range: the range itself; a day without one, or before an end. */
export function windowOf(range: TimeRange | null, nowS: number): ChartWindow {
  if (range === null) return LAST_DAY_WINDOW;
  if (range.kind === 'last') return { spanS: range.seconds, endS: null };
  const { startS } = range;
  // It grows by whole minutes, so that repeated requests are the same.
  if (range.kind === 'since') return { spanS: Math.max(60, Math.ceil((nowS - startS) / 60) * 60), endS: null };
  return { spanS: startS === 0 ? DAY : range.endS - startS, endS: range.endS };
}

/** The range of a window. */
export const rangeOf = ({ spanS, endS }: ChartWindow): TimeRange =>
  endS === null ? { kind: 'last', seconds: spanS } : { kind: 'span', startS: endS - spanS, endS };

/** A longer window, or with -1 a shorter one, with the same end. */
export function zoom(window: ChartWindow, by: 1 | -1): ChartWindow {
  const { spanS } = window;
  const next = by === 1 ? SPANS.find((span) => span > spanS) : SPANS.findLast((span) => span < spanS);
  return { ...window, spanS: next ?? spanS };
}

/** Moves the window by quarters of its span. At the present it follows the time. */
export function pan(window: ChartWindow, by: number, nowS: number): ChartWindow {
  const endS = (window.endS ?? nowS) + Math.round((by * window.spanS) / 4);
  return { ...window, endS: endS >= nowS ? null : endS };
}

/** Both ends. A window that follows the time ends at a whole minute, so that repeated requests are the same. */
export function endsOf({ spanS, endS }: ChartWindow, nowS: number): { startS: number; endS: number } {
  const end = endS ?? Math.ceil(nowS / 60) * 60;
  return { startS: end - spanS, endS: end };
}
