// Reads the time at the beginning of a line, in the forms of common loggers. One reader for files, for members of JSON
// and for messages.
import { levelOfName } from './level-names.ts';
import { LOCAL_ZONE, type TimeZone, timeZoneOf, UTC_ZONE } from './time-zone.ts';

/** A time that a line begins with. */
export interface LeadingTime {
  /** Unix seconds; undefined for an implausible time. */
  readonly seconds: number | undefined;
  /** The text of the time, as it came. */
  readonly stamp: string;
  /** Index behind it. */
  readonly end: number;
}

const DAY_S = 86_400;
const DAY_MS = 86_400_000;
/** Clocks of programs may be this much ahead of that of the reader. */
const AHEAD_MS = 3_600_000;
/** Earlier times come from devices whose clock was not set: 1970, 1980, 2000. */
const EARLIEST_S = 1_000_000_000;
/** A number is a Unix time if that is in the last ten years: others are ids and counts. */
const EPOCH_SPAN_S = 3_660 * DAY_S;
/** A stamp is searched for within these characters. */
const LOOKED_AT = 300;

/** Seconds, or undefined when implausible: before September 2001, or more than a day ahead. */
export const plausibleSeconds = (seconds: number, nowS: number): number | undefined =>
  seconds >= EARLIEST_S && seconds <= nowS + DAY_S ? Math.floor(seconds) : undefined;

const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';
const MONTH = '(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const WEEKDAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
/** Hour, minute, second, and the half of the day. New versions of Java write a narrow blank before it. */
const CLOCK = '(\\d\\d?):(\\d\\d):(\\d\\d)(?:[.,:]\\d{1,9})?(?:[ \\u202f]?([AaPp])[Mm]\\b)?';
const ZONE =
  '(?: ?(Z|UTC|GMT)\\b| ?([+-]\\d\\d:?\\d\\d)(?!\\d)|([+-]\\d\\d)(?![\\d:])| ([A-Z][a-z]{2,12}\\/[A-Za-z_]{2,24})(?=\\]))?';

/** The part of a date in a form, by its place among the groups. */
type Part = 'year' | 'month' | 'day' | 'short' | 'clock';

interface Form {
  readonly pattern: RegExp;
  readonly parts: readonly Part[];
}

const form = (source: string, ...parts: Part[]): Form => ({ pattern: new RegExp(source, 'y'), parts });

/**
 * Forms that begin with a digit. `short` is a part whose meaning only the date nearest to now tells: `26/11/26`,
 * `11/26/2026`.
 */
const NUMERIC: readonly Form[] = [
  // 2026-11-26T20:30:00.5Z, 2026/11/26 20:30:00, 2026.11.26-20:30:00
  form(`(\\d{4})[-/.](\\d\\d?)[-/.](\\d\\d?)(?:[T t_:-]|, | - )${CLOCK}${ZONE}`, 'year', 'month', 'day', 'clock'),
  // 2026-11-26-20.30.00.123456 of DB2
  form(
    `(\\d{4})-(\\d\\d)-(\\d\\d)-(\\d\\d)\\.(\\d\\d)\\.(\\d\\d)(?:\\.\\d{1,9})?()${ZONE}`,
    ...(['year', 'month', 'day', 'clock'] as const),
  ),
  // 20261126T203000Z, 20261126-20:30:00
  form(
    `(\\d{4})(\\d\\d)(\\d\\d)[T -](\\d\\d):?(\\d\\d):?(\\d\\d)(?:[.,:]\\d{1,9})?()(?!\\d)${ZONE}`,
    ...(['year', 'month', 'day', 'clock'] as const),
  ),
  // 26/Nov/2026:20:30:00 +0000, 26-Nov-2026 20:30:00 Europe/Berlin, 26 Nov 2026 20:30:00
  form(`(\\d\\d?)[-/ ]${MONTH}[-/ ](\\d{4})[ T:]${CLOCK}${ZONE}`, 'day', 'month', 'year', 'clock'),
  // 26.11.2026 20:30:00
  form(`(\\d\\d?)\\.(\\d\\d?)\\.(\\d{4}),? ${CLOCK}${ZONE}`, 'day', 'month', 'year', 'clock'),
  // 11/26/2026 8:30:00 PM
  form(`(\\d\\d?)[-/](\\d\\d?)[-/](\\d{4}),? ${CLOCK}${ZONE}`, 'short', 'short', 'year', 'clock'),
  // 26/11/26 20:30:00 of Hadoop, 11/26/26 20:30:00
  form(`(\\d\\d)[-/.](\\d\\d)[-/.](\\d\\d),?[ -]${CLOCK}${ZONE}`, 'short', 'short', 'short', 'clock'),
  // 261126 20:30:00 of MySQL
  form(`(\\d\\d)(\\d\\d)(\\d\\d) {1,2}${CLOCK}${ZONE}`, 'short', 'short', 'short', 'clock'),
  // 11-26 20:30:00.123 of Android
  form(`(\\d\\d)[-./](\\d\\d) ${CLOCK}${ZONE}`, 'month', 'day', 'clock'),
  // 2026 Nov 26 20:30:00 of Cisco
  form(`(\\d{4}) ${MONTH} {1,2}(\\d\\d?) ${CLOCK}${ZONE}`, 'year', 'month', 'day', 'clock'),
  // 20:30:00.123 of the present day
  form(`${CLOCK}${ZONE}(?=[\\s\\]|,;]|$)`, 'clock'),
];

/** Forms that begin with a letter. */
const NAMED: readonly Form[] = [
  // Thu Nov 26 20:30:42.007002 2026
  form(`(?:${WEEKDAY},? )?${MONTH} {1,2}(\\d\\d?) ${CLOCK}${ZONE}(?: [A-Z]{3,4})? (\\d{4})\\b`, ...monthFirst(true)),
  // Nov 26, 2026 8:30:00 PM, Nov 26 2026 20:30:00
  form(`(?:${WEEKDAY},? )?${MONTH} {1,2}(\\d\\d?),? (\\d{4}),? ${CLOCK}${ZONE}`, 'month', 'day', 'year', 'clock'),
  // Thu, 26 Nov 2026 20:30:00 +0000
  form(`${WEEKDAY},? (\\d\\d?)[ -]${MONTH}[ -](\\d{4}) ${CLOCK}${ZONE}`, 'day', 'month', 'year', 'clock'),
  // Nov 26 20:30:00
  form(`(?:${WEEKDAY},? )?${MONTH} {1,2}(\\d\\d?) ${CLOCK}${ZONE}`, ...monthFirst(false)),
];

function monthFirst(hasYear: boolean): readonly Part[] {
  return hasYear ? ['month', 'day', 'clock', 'year'] : ['month', 'day', 'clock'];
}

/** E1126 20:30:00.123456 of klog and Glog, E20261126 20:30:00.123456 of later ones. */
const KLOG = [
  form(`[VDIWEFC](\\d\\d)(\\d\\d) ${CLOCK}${ZONE}`, 'month', 'day', 'clock'),
  form(`[VDIWEFC](\\d{4})(\\d\\d)(\\d\\d) ${CLOCK}${ZONE}`, 'year', 'month', 'day', 'clock'),
];
/** Seconds with or without a fraction, milliseconds, microseconds, nanoseconds. */
const EPOCH = /(\d{10})(?:(\d{3}|\d{6}|\d{9})|[.,]\d{1,9})?(?=[\s\]):,;|"}]|$)/y;
/** The label of daemontools, which runit and s6 write too: TAI, 10 s ahead in 1970. */
const TAI = /@(4[0-9a-f]{15})[0-9a-f]{8}(?=\s|$)/y;
const TAI_START = 2n ** 62n + 10n;

/** Text that may stand before a time: a level, the process of Redis or NestJS, an opening bracket or quote. */
const BEFORE = /(?:\[Nest\] \d{1,10} {1,2}- |#{4}|\[?([A-Za-z]{1,11})[\]:,]{0,2}[ \t|-]{1,4}|\d{1,10}:[A-Z] )?[[("<]?/y;
/** The head of an access log: address, identity, user. */
const ACCESS = /[^\s[]{1,255} [^\s[]{1,64} [^\s[]{1,128} \[/y;
/** logfmt, which may begin with its level or caller. */
const LOGFMT = /^(?:[a-z_.]{1,16}=[^\s"=]{1,64} ){0,2}(?:time|ts|t|timestamp|datetime|date)="?/;
/** Labels and values with tabs between them, of which the time is first. */
const LTSV = /^(?:time|timestamp):(?=\S+\t)/;
const AUDIT = /^(?:node=\S{1,255} )?type=\S{1,48} msg=audit\(/;

/**
 * Reads the time at the beginning of a text. A time without a zone is one of `zone`, and one without a year or a day
 * is the nearest to now. Returns undefined for a text that begins with none.
 *
 * @param nowS Unix seconds
 */
export function readLeadingTime(text: string, nowS: number, zone: TimeZone = LOCAL_ZONE): LeadingTime | undefined {
  const head = text.length > LOOKED_AT ? text.slice(0, LOOKED_AT) : text;
  const first = head.charCodeAt(0);
  const isDigit = first >= 0x30 && first <= 0x39;
  return (
    readAt(head, 0, nowS, zone) ??
    readKeyed(head, nowS, zone) ??
    (isDigit || first >= 0x41 ? readBehind(head, ACCESS, nowS, zone) : undefined)
  );
}

function readAt(head: string, from: number, nowS: number, zone: TimeZone): LeadingTime | undefined {
  const isOpen = '[("<'.includes(head.charAt(from));
  const found = readStamp(head, isOpen ? from + 1 : from, nowS, zone);
  if (found !== undefined) return found;
  BEFORE.lastIndex = from;
  const [before = '', word] = BEFORE.exec(head) ?? [];
  const isLevel = word === undefined || word.length === 1 || levelOfName(word) !== undefined;
  if (before === '' || !isLevel) return undefined;
  const at = from + before.length;
  // A bracket of its own: `WARN  [2026-11-26T20:38:34.472Z]`.
  const inner = head.charCodeAt(at) === 0x5b ? at + 1 : at;
  return readStamp(head, inner, nowS, zone);
}

function readKeyed(head: string, nowS: number, zone: TimeZone): LeadingTime | undefined {
  const key = head.includes('=') ? (LOGFMT.exec(head) ?? AUDIT.exec(head)) : LTSV.exec(head);
  return key === null ? undefined : readStamp(head, key[0].length, nowS, zone);
}

function readBehind(head: string, before: RegExp, nowS: number, zone: TimeZone): LeadingTime | undefined {
  before.lastIndex = 0;
  return before.test(head) ? readStamp(head, before.lastIndex, nowS, zone) : undefined;
}

function readStamp(text: string, at: number, nowS: number, zone: TimeZone): LeadingTime | undefined {
  const code = text.charCodeAt(at);
  if (code >= 0x30 && code <= 0x39) return readForms(NUMERIC, text, at, nowS, zone) ?? readEpoch(text, at, nowS);
  if (code === 0x40) return readTai(text, at, nowS);
  if (!(code >= 0x41 && code <= 0x57)) return undefined;
  return readForms(NAMED, text, at, nowS, zone) ?? readForms(KLOG, text, at, nowS, zone);
}

function readForms(forms: readonly Form[], text: string, at: number, nowS: number, zone: TimeZone) {
  for (const one of forms) {
    const found = readForm(one, text, at, nowS, zone);
    if (found !== undefined) return found;
  }
  return undefined;
}

function readForm({ pattern, parts }: Form, text: string, at: number, nowS: number, zone: TimeZone) {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  if (found === null) return undefined;
  const read: Partial<Record<Part, number>> = {};
  const shorts: number[] = [];
  let zoneText = '';
  let group = 1;
  for (const part of parts) {
    const value = found[group] ?? '';
    if (part === 'clock') {
      read.clock = clockOf(value, found[group + 1], found[group + 2], found[group + 3]);
      zoneText = found.slice(group + 4, group + 8).find((name) => name !== undefined) ?? '';
      group += 8;
      continue;
    }
    if (part === 'short') shorts.push(Number(value));
    else read[part] = part === 'month' ? monthOf(value) : Number(value);
    group += 1;
  }
  const clockMs = clockMsOf(read, shorts, nowS, zone);
  if (Number.isNaN(clockMs)) return undefined;
  const seconds = (clockMs - offsetOf(zoneText, zone).offsetMs(clockMs)) / 1000;
  return { seconds: plausibleSeconds(seconds, nowS), stamp: found[0], end: at + found[0].length };
}

/** Milliseconds since midnight; NaN for an impossible time. A leap second counts as the second before it. */
function clockOf(hours = '', minutes = '', seconds = '', half = ''): number {
  let hour = Number(hours);
  const isHalf = half !== '';
  if (hour > (isHalf ? 12 : 23) || Number(minutes) > 59 || Number(seconds) > 60) return Number.NaN;
  if (isHalf) hour = (hour % 12) + (half.toUpperCase() === 'P' ? 12 : 0);
  return ((hour * 60 + Number(minutes)) * 60 + Math.min(Number(seconds), 59)) * 1000;
}

const monthOf = (text: string): number => (text.length === 3 ? MONTHS.indexOf(text) / 3 + 1 : Number(text));

function offsetOf(text: string, zone: TimeZone): TimeZone {
  if (text === '') return zone;
  if (text.includes('/')) return timeZoneOf(text) ?? zone;
  if (text.charCodeAt(0) > 0x39) return UTC_ZONE;
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(-2).padStart(2, '0')) * Number(text.length > 3);
  const offset = (text.startsWith('-') ? -minutes : minutes) * 60_000;
  return { offsetMs: () => offset };
}

/** The time as if it were in UTC: of the dates that the parts may mean the one nearest to now. */
function clockMsOf(read: Partial<Record<Part, number>>, shorts: readonly number[], nowS: number, zone: TimeZone) {
  const { year, month, day, clock = Number.NaN } = read;
  const nowMs = nowS * 1000 + zone.offsetMs(nowS * 1000);
  const [a = 0, b = 0, c = 0] = shorts;
  if (shorts.length === 3) return nearest([dateMs(2000 + a, b, c), dateMs(2000 + c, a, b), dateMs(2000 + c, b, a)]);
  if (shorts.length === 2) return nearest([dateMs(year ?? 0, a, b), dateMs(year ?? 0, b, a)]);
  if (month === undefined || day === undefined) {
    const today = Math.floor(nowMs / DAY_MS) * DAY_MS + clock;
    return today > nowMs + AHEAD_MS ? today - DAY_MS : today;
  }
  if (year !== undefined) return dateMs(year, month, day) + clock;
  const thisYear = new Date(nowMs).getUTCFullYear();
  const sent = dateMs(thisYear, month, day) + clock;
  // 1 January may come on 31 December from a zone ahead, and 29 February is in few years.
  if (sent < nowMs - 364 * DAY_MS) return dateMs(thisYear + 1, month, day) + clock;
  return sent <= nowMs + DAY_MS ? sent : dateMs(thisYear - 1, month, day) + clock;

  function nearest(dates: readonly number[]): number {
    let best = Number.NaN;
    for (const date of dates) {
      const at = date + clock;
      if (!Number.isNaN(at) && !(Math.abs(at - nowMs) >= Math.abs(best - nowMs))) best = at;
    }
    return best;
  }
}

/** Milliseconds of a calendar day, or NaN for an impossible day. */
function dateMs(year: number, month: number, day: number): number {
  if (month < 1 || month > 12 || day < 1 || day > 31) return Number.NaN;
  const at = Date.UTC(year, month - 1, day);
  return day > 28 && new Date(at).getUTCDate() !== day ? Number.NaN : at;
}

function readEpoch(text: string, at: number, nowS: number): LeadingTime | undefined {
  EPOCH.lastIndex = at;
  const found = EPOCH.exec(text);
  const seconds = Number(found?.[1]);
  if (found === null || seconds > nowS + DAY_S || seconds < nowS - EPOCH_SPAN_S) return undefined;
  return { seconds, stamp: found[0], end: at + found[0].length };
}

function readTai(text: string, at: number, nowS: number): LeadingTime | undefined {
  TAI.lastIndex = at;
  const found = TAI.exec(text);
  if (found === null) return undefined;
  const seconds = Number(BigInt(`0x${found[1]}`) - TAI_START);
  return { seconds: plausibleSeconds(seconds, nowS), stamp: found[0], end: at + found[0].length };
}
