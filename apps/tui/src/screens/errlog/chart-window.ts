// The time window of the chart. Pure.

/** A span and its end; null for now. */
export interface ChartWindow {
  readonly spanS: number;
  readonly endS: number | null;
}

const HOUR = 3_600;
const DAY = 24 * HOUR;
const SPANS = [HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 3 * DAY, 7 * DAY, 30 * DAY] as const;

/** The last day. */
export const LAST_DAY: ChartWindow = { spanS: DAY, endS: null };

/** A longer window, or with -1 a shorter one, with the same end. */
export function zoom(window: ChartWindow, by: 1 | -1): ChartWindow {
  const index = SPANS.findIndex((span) => span >= window.spanS);
  const spanS = SPANS[Math.max(0, Math.min(index + by, SPANS.length - 1))] ?? window.spanS;
  return { ...window, spanS };
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
