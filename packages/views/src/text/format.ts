// Formats numbers and times for people: in the zone of the settings, English, known width.
import { wallTime } from './zone.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Short names of the months. */
export const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const two = (value: number): string => String(value).padStart(2, '0');

/** `14:03:27`. */
export function clock(date: Date): string {
  const [, , , hours, minutes, seconds] = wallTime(date);
  return `${two(hours)}:${two(minutes)}:${two(seconds)}`;
}

/** `Nov 19`, in six columns. */
export function monthDay(date: Date): string {
  const [, month, day] = wallTime(date);
  return `${MONTHS[month - 1]} ${String(day).padStart(2, ' ')}`;
}

/** Returns whether both moments are on the same day. */
export const sameDay = (a: Date, b: Date): boolean => isoDay(a) === isoDay(b);

const sameYear = (a: Date, b: Date): boolean => wallTime(a)[0] === wallTime(b)[0];

/** Today `14:03:27`, else `Nov 19 14:03`, in another year `2025-11-19`. At most twelve columns. */
export function shortTime(unixS: number, nowMs: number): string {
  const date = new Date(unixS * 1000);
  const now = new Date(nowMs);
  if (sameDay(date, now)) return clock(date);
  return sameYear(date, now) ? `${monthDay(date)} ${clock(date).slice(0, 5)}` : isoDay(date);
}

/** Days within which the day of the month tells the month. */
const MONTH_DAYS = 27;

/** Today `14:03:27`, else `19 14:03`, before this month `Oct 19`, in another year `2025-11`. At most eight columns. */
export function narrowTime(unixS: number, nowMs: number): string {
  const date = new Date(unixS * 1000);
  const now = new Date(nowMs);
  if (sameDay(date, now)) return clock(date);
  if (Math.abs(nowMs - unixS * 1000) < MONTH_DAYS * 86_400_000) {
    return `${isoDay(date).slice(-2)} ${clock(date).slice(0, 5)}`;
  }
  return sameYear(date, now) ? monthDay(date) : isoDay(date).slice(0, 7);
}

/** `14:03` today, else `Nov 19 14:03`, in another year `2025-11-19 14:03`. */
export function momentText(unixS: number, nowMs: number): string {
  const date = new Date(unixS * 1000);
  const now = new Date(nowMs);
  const time = clock(date).slice(0, 5);
  if (sameDay(date, now)) return time;
  return `${sameYear(date, now) ? monthDay(date) : isoDay(date)} ${time}`;
}

/** `2026-11-20`. */
export function isoDay(date: Date): string {
  const [year, month, day] = wallTime(date);
  return `${year}-${two(month)}-${two(day)}`;
}

/** `2026-11-20 14:03:27`. */
export function fullTime(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? 'beyond the calendar' : `${isoDay(date)} ${clock(date)}`;
}

/** `3s`, `4m`, `2h`, `5d`: a duration in its largest unit. Never negative, because clocks differ. */
export function age(seconds: number): string {
  const s = Math.max(0, Math.floor(seconds));
  if (s < MINUTE) return `${s}s`;
  if (s < HOUR) return `${Math.floor(s / MINUTE)}m`;
  if (s < DAY) return `${Math.floor(s / HOUR)}h`;
  return `${Math.floor(s / DAY)}d`;
}

/** `7h41m`, `12m`, `45s`, `3d4h`: a duration in at most two units. Never negative. */
export function span(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < MINUTE) return `${s}s`;
  if (s < HOUR) return `${Math.floor(s / MINUTE)}m`;
  if (s < DAY) return `${Math.floor(s / HOUR)}h${two(Math.floor((s % HOUR) / MINUTE))}m`;
  const hours = Math.floor((s % DAY) / HOUR);
  return `${Math.floor(s / DAY)}d${hours === 0 ? '' : `${hours}h`}`;
}

/** `2h`, `1h30m`, `7d`: a duration without loss, in seconds. */
export function exactSpan(seconds: number): string {
  const units = [
    [Math.floor(seconds / DAY), 'd'],
    [Math.floor((seconds % DAY) / HOUR), 'h'],
    [Math.floor((seconds % HOUR) / MINUTE), 'm'],
    [seconds % MINUTE, 's'],
  ] as const;
  return units.map(([value, unit]) => (value === 0 ? '' : `${value}${unit}`)).join('');
}

/** `1 row`, `3 rows`. */
export const plural = (n: number, unit: string): string => `${grouped(n)} ${unit}${n === 1 ? '' : 's'}`;

/** `in 29 days`, `in 5 hours`, `3 days ago`. */
export function distance(ms: number, nowMs: number): string {
  const seconds = Math.round(Math.abs(ms - nowMs) / 1000);
  const [unitS, unit] =
    seconds >= 2 * DAY ? [DAY, 'day'] : seconds >= 2 * HOUR ? [HOUR, 'hour'] : ([MINUTE, 'minute'] as const);
  const amount = plural(Math.max(1, Math.round(seconds / unitS)), unit);
  return ms >= nowMs ? `in ${amount}` : `${amount} ago`;
}

/** `1,204`. */
export const grouped = (n: number): string => String(n).replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',');

/** A count in at most five columns: `999`, `9,999`, `12.3k`, `1.2M`. */
export function count(n: number): string {
  if (n < 10_000) return grouped(n);
  const units = ['k', 'M', 'G', 'T', 'P'];
  let value = n;
  let unit = -1;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const tenths = Math.floor(value * 10) / 10;
  return `${value < 100 ? tenths : Math.floor(value)}${units[unit] ?? ''}`;
}
