// The time range that all screens with errors share. Pure.
import { clock, exactSpan, momentText, monthDay, sameDay } from '../text/format.ts';

/** The last seconds up to now, the time since a moment, or a span with both ends; Unix seconds. */
export type TimeRange =
  | { readonly kind: 'last'; readonly seconds: number }
  | { readonly kind: 'since'; readonly startS: number }
  | { readonly kind: 'span'; readonly startS: number; readonly endS: number };

/** The ends of a range as the filters of the server take them. Without an end it lasts until now. */
export interface RangeBounds {
  readonly start_time?: number;
  readonly end_time?: number;
}

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

/** Ranges with a key of their own. */
export const LAST_HOUR: TimeRange = { kind: 'last', seconds: HOUR_S };
export const LAST_DAY: TimeRange = { kind: 'last', seconds: DAY_S };
export const LAST_WEEK: TimeRange = { kind: 'last', seconds: 7 * DAY_S };

/** Returns the ends of a range; none without one. `last` begins at a whole minute, so that requests repeat. */
export function rangeBounds(range: TimeRange | null, nowS: number): RangeBounds {
  if (range === null) return {};
  if (range.kind === 'span') return { start_time: range.startS, end_time: range.endS };
  const startS = range.kind === 'since' ? range.startS : Math.floor((nowS - range.seconds) / MINUTE_S) * MINUTE_S;
  return { start_time: Math.max(0, startS) };
}

/** Returns whether a moment is in a range. */
export function isInRange(range: TimeRange | null, momentS: number, nowS: number): boolean {
  const { start_time: start = 0, end_time: end = Number.POSITIVE_INFINITY } = rangeBounds(range, nowS);
  return momentS >= start && momentS <= end;
}

/** The range in a few columns: `last 2h`, `since 10:00`, `10:00 – 11:02`, `all times`. */
export function rangeText(range: TimeRange | null, nowMs: number): string {
  if (range === null) return 'all times';
  if (range.kind === 'last') return `last ${exactSpan(range.seconds)}`;
  const { startS } = range;
  const start = momentText(startS, nowMs);
  if (range.kind === 'since') return `since ${start}`;
  const { endS } = range;
  if (startS === 0) return `until ${momentText(endS, nowMs)}`;
  const isOneDay = sameDay(new Date(startS * 1000), new Date(endS * 1000));
  return `${start} – ${isOneDay ? momentText(endS, endS * 1000) : momentText(endS, nowMs)}`;
}

/** A bucket of a chart: `20:30-20:40`, `Nov 22 20:30-20:40`, `Nov 22`, `Nov 22-Nov 24`. The end is exclusive. */
export function bucketText(startS: number, endS: number, nowMs: number): string {
  const [start, last] = [new Date(startS * 1000), new Date((endS - 1) * 1000)];
  const isWholeDays = [startS, endS].every((edgeS) => clock(new Date(edgeS * 1000)) === '00:00:00');
  if (isWholeDays) return sameDay(start, last) ? monthDay(start) : `${monthDay(start)}-${monthDay(last)}`;
  const isOneDay = sameDay(start, last);
  return `${momentText(startS, nowMs)}-${momentText(endS, isOneDay ? endS * 1000 : nowMs)}`;
}

/** The range as a part of a sentence: `in the last 2h`. */
export function rangePhrase(range: TimeRange, nowMs: number): string {
  const text = rangeText(range, nowMs);
  if (range.kind === 'last') return `in the ${text}`;
  return text.includes(' – ') ? `from ${text.replace(' – ', ' to ')}` : text;
}
