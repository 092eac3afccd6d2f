// Reads the time stamps of syslog headers. Every reader returns the end of the stamp, or undefined without a stamp.

/** A stamp of a header. `end` is the index after it. */
export interface Stamp {
  /** Unix time, or NaN without a zone. */
  seconds: number;
  /** The stamp as if it were in UTC. It only compares the lines of one sender. */
  clock: number;
  end: number;
}

const DAY = 86_400;
/** Zones reach from UTC-12 to UTC+14, so a stamp without a zone is ambiguous within this distance. */
const ZONE_SPAN = 14 * 3600;
const HALF_YEAR = 183 * DAY;
const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';

/** Reads a number of `length` digits at `at`; -1 without one. */
function digits(text: string, at: number, length: number): number {
  let value = 0;
  for (let i = at; i < at + length; i += 1) {
    const digit = text.charCodeAt(i) - 0x30;
    if (!(digit >= 0 && digit <= 9)) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** Reads `hh:mm:ss` at `at` as seconds since midnight; -1 without one. A leap second counts as the second before it. */
function clock(text: string, at: number): number {
  const hour = digits(text, at, 2);
  const minute = digits(text, at + 3, 2);
  const second = digits(text, at + 6, 2);
  if (text.charCodeAt(at + 2) !== 0x3a || text.charCodeAt(at + 5) !== 0x3a) return -1;
  if (hour < 0 || minute < 0 || second < 0 || hour > 23 || minute > 59 || second > 60) return -1;
  return hour * 3600 + minute * 60 + Math.min(second, 59);
}

function skipFraction(text: string, at: number): number {
  const point = text.charCodeAt(at);
  if (point !== 0x2e && point !== 0x2c) return at;
  let end = at + 1;
  while (end < at + 12 && digits(text, end, 1) >= 0) end += 1;
  return end > at + 1 ? end : at;
}

/** Unix seconds of a calendar day, or NaN for an impossible day. */
function dayStart(year: number, month: number, day: number): number {
  if (year < 0 || month < 0 || month > 11 || day < 1 || day > 31) return Number.NaN;
  const start = Date.UTC(year, month, day);
  // Date.UTC turns 30 February into a day in March.
  return day > 28 && new Date(start).getUTCDate() !== day ? Number.NaN : start / 1000;
}

/** `2026-11-20T09:00:00[.123456](Z|+01:00|+0100)` (RFC 3339, RFC 5424 6.2.3). Without a zone `seconds` is NaN. */
export function readIsoStamp(text: string, at: number): Stamp | undefined {
  if (text.charCodeAt(at + 4) !== 0x2d || text.charCodeAt(at + 7) !== 0x2d) return undefined;
  const separator = text.charCodeAt(at + 10);
  if (separator !== 0x54 && separator !== 0x74 && separator !== 0x20) return undefined;
  const day = dayStart(digits(text, at, 4), digits(text, at + 5, 2) - 1, digits(text, at + 8, 2));
  const time = clock(text, at + 11);
  if (Number.isNaN(day) || time < 0) return undefined;
  const end = skipFraction(text, at + 19);
  const zone = text.charCodeAt(end);
  if (zone === 0x5a || zone === 0x7a) return { seconds: day + time, clock: day + time, end: end + 1 };
  if (zone !== 0x2b && zone !== 0x2d) return { seconds: Number.NaN, clock: day + time, end };
  const hours = digits(text, end + 1, 2);
  const minutesAt = text.charCodeAt(end + 3) === 0x3a ? end + 4 : end + 3;
  const minutes = digits(text, minutesAt, 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return undefined;
  const offset = (hours * 60 + minutes) * 60;
  const seconds = day + time + (zone === 0x2b ? -offset : offset);
  return { seconds, clock: seconds, end: minutesAt + 2 };
}

/**
 * Reads `Nov 20 09:00:00` (RFC 3164 4.1.2). The day may be padded; a fraction and a year (as some routers send, before
 * the month, behind the day or behind the time) are allowed.
 *
 * - Without a year, the year closest to `receivedAt` counts. So the last lines of December, received in January, are a
 *   minute old and not a year.
 * - A stamp that is the present in some zone on earth is the present: `seconds` is `receivedAt`.
 * - An older stamp is read as UTC: its sender kept the line while it could not send.
 * - A stamp further ahead comes from a wrong clock: `seconds` is `receivedAt`.
 */
export function readBsdStamp(text: string, at: number, receivedAt: number): Stamp | undefined {
  const yearFirst = text.charCodeAt(at + 4) === 0x20 ? yearAt(text, at) : -1;
  const from = yearFirst < 0 ? at : at + 5;
  if (text.charCodeAt(from + 3) !== 0x20) return undefined;
  const month = MONTHS.indexOf(text.slice(from, from + 3));
  if (month < 0 || month % 3 !== 0) return undefined;
  let next = from + 4;
  if (text.charCodeAt(next) === 0x20) next += 1;
  const wide = digits(text, next, 2);
  const day = wide >= 0 ? wide : digits(text, next, 1);
  next += wide >= 0 ? 2 : 1;
  if (day < 1 || day > 31 || text.charCodeAt(next) !== 0x20) return undefined;
  next += 1;
  const yearSecond = text.charCodeAt(next + 4) === 0x20 ? digits(text, next, 4) : -1;
  if (yearSecond >= 0) next += 5;
  const time = clock(text, next);
  if (time < 0) return undefined;
  let end = skipFraction(text, next + 8);
  let year = Math.max(yearFirst, yearSecond);
  const isLast = year < 0 && text.charCodeAt(end) === 0x20 && text.charCodeAt(end + 5) === 0x20;
  if (isLast && yearAt(text, end + 1) >= 0) {
    year = yearAt(text, end + 1);
    end += 5;
  }
  const sent = nearestTime(month / 3, day, time, year, receivedAt);
  return { seconds: receivedAt - sent > ZONE_SPAN ? sent : receivedAt, clock: sent, end };
}

/** Reads a year of this century, or of a clock that was not set; -1 without one. */
function yearAt(text: string, at: number): number {
  const year = digits(text, at, 4);
  return year >= 1970 && year < 2100 ? year : -1;
}

/** The stamp as if it were in UTC, in the given year or in the one nearest to the arrival. */
function nearestTime(month: number, day: number, time: number, year: number, receivedAt: number): number {
  const thisYear = new Date(receivedAt * 1000).getUTCFullYear();
  let sent = dayStart(year >= 0 ? year : thisYear, month, day) + time;
  if (year < 0 && sent - receivedAt > HALF_YEAR) sent = dayStart(thisYear - 1, month, day) + time;
  else if (year < 0 && receivedAt - sent > HALF_YEAR) sent = dayStart(thisYear + 1, month, day) + time;
  return sent;
}

/** True if the text at `at` has the form of a day, possible or not, and so is meant as a stamp. */
export function looksLikeStamp(text: string, at: number): boolean {
  return (
    digits(text, at, 4) >= 0 &&
    text.charCodeAt(at + 4) === 0x2d &&
    digits(text, at + 5, 2) >= 0 &&
    digits(text, at + 8, 2) >= 0
  );
}
