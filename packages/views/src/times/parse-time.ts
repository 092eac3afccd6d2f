// Reads typed moments and ranges. A wrong one says what is allowed. Pure.
import { clean } from '../text/clean.ts';
import { MONTHS } from '../text/format.ts';
import { momentOf, type WallTime, wallTime, type Zone } from '../text/zone.ts';
import type { TimeRange } from './range.ts';

/** The present, and the zone of typed times. */
export interface Present {
  readonly nowMs: number;
  readonly zone: Zone;
}

/** A value, or a problem in a sentence. */
export type Parsed<T> = { readonly value: T } | { readonly problem: string };

/** Separates the ends of a range: `10:00 to 11:02`, `10:00-11:02`. */
const BETWEEN = / (?:to|until|till|-|–) |\.\.|(?<=^\d{1,2}:\d\d)[-–]/;

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };
/** Longest age: a hundred years, in seconds. */
const AGE_MAX = 100 * 366 * 86_400;

/** Moments that can be typed. */
const MOMENT_EXAMPLES = '2h, 10:35, yesterday 10:35, 2026-11-22';
/** Ranges that can be typed. */
const RANGE_EXAMPLES = '2h, since 10:00, 10:00 to 11:02, all';

const wrong = (text: string, what: string, allowed: string): { readonly problem: string } => ({
  problem:
    text === ''
      ? `A ${what} is missing. Allowed: ${allowed}.`
      : `"${clean(text.slice(0, 40))}" is not a ${what}. Allowed: ${allowed}.`,
});

/** Returns the seconds of an age such as `2h`, `1h30m` or `-2h`; undefined for other texts. */
export function readAge(text: string): number | undefined {
  const [, amounts] = /^-?((?:\d{1,9}[smhdw])+)(?: ago)?$/.exec(text) ?? [];
  if (amounts === undefined) return undefined;
  const seconds = [...amounts.matchAll(/(\d+)([smhdw])/g)].reduce(
    (sum, [, amount, unit = '']) => sum + Number(amount) * (UNITS[unit] ?? 0),
    0,
  );
  return seconds > 0 && seconds <= AGE_MAX ? seconds : undefined;
}

type Day = readonly [year: number, month: number, day: number];

/** Returns the day of a word, an ISO date or `Nov 22`; undefined for other texts. */
function readDay(text: string, { nowMs, zone }: Present): Day | undefined {
  const [year, month, day] = wallTime(new Date(nowMs), zone);
  if (text === 'today') return [year, month, day];
  if (text === 'yesterday') return [year, month, day - 1];
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text);
  if (iso !== null) return [Number(iso[1]), Number(iso[2]), Number(iso[3])];
  const named = /^([a-z]{3}) +(\d{1,2})$/.exec(text);
  const at = MONTHS.findIndex((name) => name.toLowerCase() === named?.[1]);
  if (named === null || at === -1) return undefined;
  const isPast = at + 1 < month || (at + 1 === month && Number(named[2]) <= day);
  return [isPast ? year : year - 1, at + 1, Number(named[2])];
}

/** Returns the moment of a wall time in milliseconds; undefined for a date that no calendar has. */
function existing(parts: WallTime, zone: Zone): number | undefined {
  const [, month, day, hours, minutes, seconds] = parts;
  if (month < 1 || month > 12 || day > 31 || hours > 23 || minutes > 59 || seconds > 59) return undefined;
  const ms = momentOf(parts, zone);
  const [, , shownDay] = wallTime(new Date(ms), zone);
  // Day 0 is yesterday on the first of a month; 30 February would be in March.
  return day > 0 && shownDay !== day ? undefined : ms;
}

/** Returns the moment of a text such as `2026-01-31T10:00Z`; undefined for a text without a zone. */
function readIso(text: string): number | undefined {
  const [, date, time, offset] =
    /^(\d{4}-\d{2}-\d{2})[t ](\d{2}:\d{2}(?::\d{2})?) ?(z|[+-]\d{2}:\d{2})$/.exec(text) ?? [];
  if (date === undefined || time === undefined || offset === undefined) return undefined;
  const ms = Date.parse(`${date}T${time}${offset.toUpperCase()}`);
  return Number.isNaN(ms) ? undefined : ms;
}

/** The purpose of a moment: a start, a moment to go to, or the end of a range that begins at `afterMs`. */
interface Role {
  readonly isEnd?: boolean;
  readonly afterMs?: number;
}

/** Returns the last such time up to now, or for an end the first one after the start, in milliseconds. */
function nearest(
  time: readonly [number, number, number],
  { nowMs, zone }: Present,
  afterMs: number | undefined,
): number {
  const [year, month, day] = wallTime(new Date(afterMs ?? nowMs), zone);
  const same = momentOf([year, month, day, ...time], zone);
  if (afterMs !== undefined) return same > afterMs ? same : momentOf([year, month, day + 1, ...time], zone);
  return same <= nowMs ? same : momentOf([year, month, day - 1, ...time], zone);
}

function readMoment(text: string, present: Present, { isEnd = false, afterMs }: Role): number | undefined {
  const { nowMs, zone } = present;
  if (text === 'now') return nowMs;
  const age = readAge(text);
  if (age !== undefined) return nowMs - age * 1000;
  if (/^\d{9,11}$/.test(text)) return Number(text) * 1000;
  const iso = readIso(text);
  if (iso !== undefined) return iso;
  const [, before = '', hours, minutes, seconds = '0'] =
    /^(?:(.*?)[t ] *)??(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(text) ?? [];
  if (hours === undefined || minutes === undefined) {
    const day = readDay(text, present);
    if (day === undefined) return undefined;
    const starts = existing([...day, 0, 0, 0], zone);
    return starts === undefined || !isEnd ? starts : momentOf([day[0], day[1], day[2] + 1, 0, 0, -1], zone);
  }
  const time = [Number(hours), Number(minutes), Number(seconds)] as const;
  const day = before === '' ? wallTime(new Date(nowMs), zone) : readDay(before, present);
  if (day === undefined || existing([day[0], day[1], day[2], ...time], zone) === undefined) return undefined;
  return before === '' ? nearest(time, present, afterMs) : momentOf([day[0], day[1], day[2], ...time], zone);
}

const tidy = (text: string): string => text.trim().toLowerCase().replaceAll(/\s+/g, ' ');

/**
 * Reads a moment: an age, a time of day, a day, or both. A time without a day is today, or yesterday if it would be in
 * the future. Returns Unix seconds.
 */
export function parseMoment(text: string, present: Present): Parsed<number> {
  const ms = readMoment(tidy(text), present, {});
  if (ms === undefined) return wrong(text.trim(), 'time', MOMENT_EXAMPLES);
  return ms > present.nowMs
    ? { problem: `"${clean(text.trim())}" is in the future.` }
    : { value: Math.max(0, Math.floor(ms / 1000)) };
}

/** Reads a range with both ends. An end without a day is the first such time after the start. */
function parseSpan(from: string, to: string, present: Present): Parsed<TimeRange> {
  const start = parseMoment(from, present);
  if ('problem' in start) return start;
  const endMs = readMoment(tidy(to), present, { isEnd: true, afterMs: start.value * 1000 });
  if (endMs === undefined) return wrong(to.trim(), 'time', MOMENT_EXAMPLES);
  const endS = Math.floor(endMs / 1000);
  if (endS <= start.value) return { problem: 'The end must be after the start.' };
  return { value: { kind: 'span', startS: start.value, endS } };
}

/** Reads the end of a range that keeps its start. */
function parseUntil(text: string, present: Present, startS: number): Parsed<TimeRange> {
  const endMs = readMoment(tidy(text), present, { isEnd: true });
  if (endMs === undefined) return wrong(text.trim(), 'time', MOMENT_EXAMPLES);
  const endS = Math.max(0, Math.floor(endMs / 1000));
  return { value: { kind: 'span', startS: startS < endS ? startS : 0, endS } };
}

function parseSince(text: string, present: Present): Parsed<TimeRange> {
  const seconds = readAge(tidy(text));
  if (seconds !== undefined) return { value: { kind: 'last', seconds } };
  const start = parseMoment(text, present);
  return 'problem' in start ? start : { value: { kind: 'since', startS: start.value } };
}

/**
 * Reads a range: an age (`2h`, the last two hours), `since` a moment, `until` a moment, two moments, a day, or `all`.
 * `startS` is the start that `until` keeps; 0 for none. A range of null means all times.
 */
export function parseRange(text: string, present: Present, startS = 0): Parsed<TimeRange | null> {
  const typed = tidy(text);
  if (['all', 'all times', 'alltime', 'ever'].includes(typed)) return { value: null };
  const [, word = '', rest = ''] = /^(?:(since|from|until|last)\b ?)?(.*)$/.exec(typed) ?? [];
  if (word === 'until') return parseUntil(rest, present, startS);
  const [from, to] = rest.split(BETWEEN, 2);
  if (from !== undefined && to !== undefined) return parseSpan(from, to, present);
  if (word === 'last' && readAge(rest) === undefined) return wrong(rest, 'duration', '15m, 2h, 1d12h, 7d');
  const isDay = word === '' && rest !== 'today' && readDay(rest, present) !== undefined;
  if (isDay) return parseSpan(rest, rest, present);
  const since = parseSince(rest, present);
  return 'problem' in since && word === '' ? { problem: rangeProblem(since.problem, rest) } : since;
}

const rangeProblem = (problem: string, text: string): string =>
  problem.includes('future') ? problem : wrong(text, 'time range', RANGE_EXAMPLES).problem;
