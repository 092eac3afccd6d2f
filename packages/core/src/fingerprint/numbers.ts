// Recognisers of numbers with their surroundings: dates, units, sizes. Each returns the index
// behind what it reads, or -1.
import { BLANK, behindBlanks, DIGIT, isWordCode, kindOf, LETTER } from './characters.ts';

const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';
const WEEKDAYS = 'MonTueWedThuFriSatSun';

function isOneOf(names: string, text: string, at: number): boolean {
  const first = text.charCodeAt(at);
  for (let i = 0; i < names.length; i += 3) {
    if (names.charCodeAt(i) === first && text.startsWith(names.slice(i, i + 3), at)) return true;
  }
  return false;
}

/**
 * The month in `20 Nov 2026`, `20/Nov/2026` and `Nov 20 09:00:00`, and the weekday before such a date, with what
 * separates them from the digit that follows. `at` is a word of three letters.
 */
export function dateWordEnd(text: string, at: number): number {
  const separator = text.charCodeAt(at + 3);
  if (separator !== 0x20 && (separator < 0x2c || separator > 0x2f)) return -1;
  if (isOneOf(MONTHS, text, at)) {
    if (separator !== 0x20 && separator !== 0x2f && separator !== 0x2d) return -1;
    const next = text.charCodeAt(at + 4) === 0x20 ? at + 5 : at + 4;
    return kindOf(text.charCodeAt(next)) === DIGIT ? next : -1;
  }
  if (!isOneOf(WEEKDAYS, text, at)) return -1;
  const next = separator === 0x2c ? at + 5 : at + 4;
  if (text.charCodeAt(next - 1) !== 0x20) return -1;
  if (kindOf(text.charCodeAt(next)) === DIGIT) return next;
  return isOneOf(MONTHS, text, next) ? dateWordEnd(text, next) : -1;
}

/**
 * Matches the rest of a date, a time, a version, an id or a list of numbers: everything that continues behind `at`
 * with a mark and a digit, and in `17_m_000003` also the names between the numbers.
 */
export function numberTailEnd(text: string, at: number, limit: number): number {
  let end = at;
  for (;;) {
    const code = text.charCodeAt(end);
    const isJoint = (code >= 0x2b && code <= 0x2f) || code === 0x3a;
    const digitAt = code === COMMA && isSign(text.charCodeAt(end + 1)) ? end + 2 : end + 1;
    if (isJoint && kindOf(text.charCodeAt(digitAt)) === DIGIT) {
      end = digitAt + 1;
      while (end < limit && isWordCode(text.charCodeAt(end))) end += 1;
    } else if (isIdMark(code)) {
      const next = idEnd(text, end, limit);
      if (next === end) return end;
      end = next;
    } else {
      const next = placeEnd(text, end, limit);
      if (next === end) return end;
      end = next;
    }
  }
}

const COMMA = 0x2c;
const PLUS = 0x2b;
const HYPHEN = 0x2d;
const isSign = (code: number) => code === PLUS || code === HYPHEN;

/** Returns the index behind the sign of `z+` and `x-`, a direction of an axis whose letter ends at `at`, or -1. */
export function directionEnd(text: string, at: number, limit: number): number {
  const axis = text.charCodeAt(at - 1);
  if (axis < 0x78 || axis > 0x7a || !isSign(text.charCodeAt(at))) return -1;
  return at + 1 === limit || kindOf(text.charCodeAt(at + 1)) === BLANK ? at + 1 : -1;
}

const isCapital = (code: number) => code >= 0x41 && code <= 0x5a;

/**
 * Returns the end of `-M0` and of `-M0-A`, parts of the place of a machine such as `R02-M0-L0-U22-A`; `at` without one.
 */
function placeEnd(text: string, at: number, limit: number): number {
  if (text.charCodeAt(at) !== HYPHEN || !isCapital(text.charCodeAt(at + 1))) return at;
  let end = at + 2;
  while (end < limit && kindOf(text.charCodeAt(end)) === DIGIT) end += 1;
  if (end === at + 2 || isWordCode(text.charCodeAt(end))) return at;
  const isLast = text.charCodeAt(end) === HYPHEN && isCapital(text.charCodeAt(end + 1)) && end + 2 <= limit;
  return isLast && !isWordCode(text.charCodeAt(end + 2)) && text.charCodeAt(end + 2) !== HYPHEN ? end + 2 : end;
}

/** Tells whether a unit joins the parts of an id. */
export function isIdMark(code: number): boolean {
  return code === 0x5f || code === 0x7e;
}

/** Returns the end of the last part with a digit, of parts joined by `_` or `~`; `at` without one. */
function idEnd(text: string, at: number, limit: number): number {
  return partsEnd(text, at, limit, 1);
}

/** The same, but `at` if only one part has a digit. */
export function longIdEnd(text: string, at: number, limit: number): number {
  return partsEnd(text, at, limit, 2);
}

function partsEnd(text: string, at: number, limit: number, least: number): number {
  let end = at;
  let numbers = 0;
  let hasDigit = false;
  for (let i = at; i < limit; i += 1) {
    const code = text.charCodeAt(i);
    const kind = kindOf(code);
    if (isIdMark(code)) hasDigit = false;
    else if (kind === DIGIT && !hasDigit) {
      hasDigit = true;
      numbers += 1;
    } else if (kind !== LETTER && kind !== DIGIT) break;
    if (hasDigit) end = i + 1;
  }
  return numbers < least ? at : end;
}

const SIZES = new Set(['B', 'KB', 'kB', 'MB', 'GB', 'TB', 'KiB', 'MiB', 'GiB', 'TiB', 'bytes', 'K', 'M', 'G', 'T']);
const MAX_SIZE = 16;

/** Matches `(18.4 KB)`: a size in other words, which some programs add once it is large. `at` is the parenthesis. */
export function otherSizeEnd(text: string, at: number): number {
  let end = at + 1;
  while (end - at < MAX_SIZE && isSizeCode(text.charCodeAt(end))) end += 1;
  if (end === at + 1) return -1;
  const from = text.charCodeAt(end) === 0x20 ? end + 1 : end;
  let to = from;
  while (to - from < MAX_UNIT && kindOf(text.charCodeAt(to)) === LETTER) to += 1;
  return text.charCodeAt(to) === 0x29 && SIZES.has(text.slice(from, to)) ? to + 1 : -1;
}

/** Tells whether a unit belongs to a number with a decimal mark. */
function isSizeCode(code: number): boolean {
  return kindOf(code) === DIGIT || code === 0x2e || code === 0x2c;
}

/** Units that are chosen by the size of the number, and the halves of a day. */
const UNITS = new Set([
  ...['B', 'KB', 'kB', 'MB', 'GB', 'TB', 'KiB', 'MiB', 'GiB', 'TiB', 'AM', 'PM'],
  ...['sec', 'secs', 'second', 'seconds', 'min', 'mins', 'minute', 'minutes', 'hour', 'hours', 'day', 'days'],
]);
const MAX_UNIT = 7;

/** Matches a blank and the unit of a number that ends at `at`; without one, returns `at`. */
export function unitEnd(text: string, at: number, limit: number): number {
  if (kindOf(text.charCodeAt(at)) !== BLANK) return at;
  const from = behindBlanks(text, at, limit);
  let end = from;
  while (end < limit && end - from <= MAX_UNIT && kindOf(text.charCodeAt(end)) === LETTER) end += 1;
  const next = text.charCodeAt(end);
  const isWhole = end > from && end - from <= MAX_UNIT && (end === limit || !(isWordCode(next) || next === 0x5f));
  return isWhole && UNITS.has(text.slice(from, end)) ? end : at;
}
