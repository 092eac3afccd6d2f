// Which time the chart shows. Pure.

/** The time of the chart: so long, until a moment or (null) until now. */
export interface ChartWindow {
  readonly spanS: number;
  readonly endS: number | null;
}

const HOUR = 3_600;
const DAY = 24 * HOUR;
const SPANS = [HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 3 * DAY, 7 * DAY, 30 * DAY] as const;

/** A day, until now. */
export const LAST_DAY: ChartWindow = { spanS: DAY, endS: null };

/** A longer time, or with -1 a shorter one; its end stays. */
export function zoom(window: ChartWindow, by: 1 | -1): ChartWindow {
  const index = SPANS.findIndex((span) => span >= window.spanS);
  const spanS = SPANS[Math.max(0, Math.min(index + by, SPANS.length - 1))] ?? window.spanS;
  return { ...window, spanS };
}

/** Earlier or later by so many quarters of what is shown; at the present it goes on with it. */
export function pan(window: ChartWindow, by: number, nowS: number): ChartWindow {
  const endS = (window.endS ?? nowS) + Math.round((by * window.spanS) / 4);
  return { ...window, endS: endS >= nowS ? null : endS };
}

/** Its two ends. The end of one that goes on is a whole minute, so that asking again asks for the same. */
export function endsOf({ spanS, endS }: ChartWindow, nowS: number): { startS: number; endS: number } {
  const end = endS ?? Math.ceil(nowS / 60) * 60;
  return { startS: end - spanS, endS: end };
}
