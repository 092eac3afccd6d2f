// Numbers and times in the language of the browser.

const number = new Intl.NumberFormat();
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
const minute = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'always', style: 'narrow' });

/** A number with separators. */
export const numberText = (n: number): string => number.format(n);

/** `14:03:27` today, else `Nov 19, 14:03`. */
export function shortTime(unixMs: number, nowMs: number = Date.now()): string {
  const isToday = new Date(unixMs).toDateString() === new Date(nowMs).toDateString();
  return (isToday ? clock : day).format(unixMs);
}

/** `14:03` today, else `Nov 19, 14:03`. */
export function minuteTime(unixMs: number, nowMs: number = Date.now()): string {
  const isToday = new Date(unixMs).toDateString() === new Date(nowMs).toDateString();
  return (isToday ? minute : day).format(unixMs);
}

/** Date, time and zone. */
export const fullTime = (unixMs: number): string => full.format(unixMs);

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** `5 min ago`, `in 3 days`. */
export function relativeTime(unixMs: number, nowMs: number): string {
  const seconds = (unixMs - nowMs) / 1000;
  const [unit, size] = UNITS.find(([, unitS]) => Math.abs(seconds) >= unitS) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / size), unit);
}
