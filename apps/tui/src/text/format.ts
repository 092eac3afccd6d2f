// Formats numbers and times for people: local time, English, known width.

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const two = (value: number): string => String(value).padStart(2, '0');
/** `14:03:27`, local. */
export const clock = (date: Date): string =>
  `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
const monthDay = (date: Date): string => `${MONTHS[date.getMonth()]} ${String(date.getDate()).padStart(2, ' ')}`;

/** Returns whether both moments are on the same local day. */
export function sameDay(a: Date, b: Date): boolean {
  return a.getDate() === b.getDate() && a.getMonth() === b.getMonth() && a.getFullYear() === b.getFullYear();
}

/** Today `14:03:27`, else `Nov 19 14:03`, in another year `2025-11-19`. At most twelve columns. */
export function shortTime(unixS: number, nowMs: number): string {
  const date = new Date(unixS * 1000);
  const now = new Date(nowMs);
  if (sameDay(date, now)) return clock(date);
  if (date.getFullYear() === now.getFullYear()) return `${monthDay(date)} ${clock(date).slice(0, 5)}`;
  return isoDay(date);
}

/** `14:03` today, else `Nov 19 14:03`. */
export function momentText(unixS: number, nowMs: number): string {
  const date = new Date(unixS * 1000);
  const time = clock(date).slice(0, 5);
  return sameDay(date, new Date(nowMs)) ? time : `${monthDay(date)} ${time}`;
}

/** `2026-11-20`, local. */
export function isoDay(date: Date): string {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** `2026-11-20 14:03:27`, local. */
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
export function grouped(n: number): string {
  return String(n).replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',');
}

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
