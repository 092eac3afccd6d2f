// Recognisers of tokens that differ from one occurrence of an error to the next. Each reads a bounded number of
// characters from `at` and returns the index behind the token, or -1.

export const OTHER = 0;
export const LETTER = 1;
export const DIGIT = 2;
export const BLANK = 3;

const KINDS = new Uint8Array(128);
for (let code = 0; code < 128; code += 1) {
  const isLetter = (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
  const isDigit = code >= 0x30 && code <= 0x39;
  KINDS[code] = isLetter ? LETTER : isDigit ? DIGIT : code <= 0x20 || code === 0x7f ? BLANK : OTHER;
}

/** Returns the class of a UTF-16 unit: everything outside ASCII is a letter, NaN (behind the end) is OTHER. */
export function kindOf(code: number): number {
  return code < 128 ? (KINDS[code] ?? OTHER) : code >= 128 ? LETTER : OTHER;
}

function isHex(code: number): boolean {
  return kindOf(code) === DIGIT || (code >= 0x61 && code <= 0x66) || (code >= 0x41 && code <= 0x46);
}

/** Tells whether `from` to `to` is hexadecimal. */
export function isHexRun(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (!isHex(text.charCodeAt(at))) return false;
  return true;
}

function hexRun(text: string, at: number, max: number): number {
  let end = at;
  while (end - at < max && isHex(text.charCodeAt(end))) end += 1;
  return end;
}

function digitRun(text: string, at: number, max: number): number {
  let end = at;
  while (end - at < max && kindOf(text.charCodeAt(end)) === DIGIT) end += 1;
  return end;
}

function isWordCode(code: number): boolean {
  const kind = kindOf(code);
  return kind === LETTER || kind === DIGIT;
}

/** Includes `:8080` behind an address. */
function portEnd(text: string, at: number): number {
  if (text.charCodeAt(at) !== 0x3a) return at;
  const end = digitRun(text, at + 1, 5);
  return end === at + 1 || isWordCode(text.charCodeAt(end)) ? at : end;
}

/** `10.0.0.1` with an optional port. */
export function ipv4End(text: string, at: number): number {
  let next = at;
  for (let part = 0; part < 4; part += 1) {
    if (part > 0 && text.charCodeAt(next++) !== 0x2e) return -1;
    const end = digitRun(text, next, 3);
    if (end === next) return -1;
    next = end;
  }
  const code = text.charCodeAt(next);
  if (isWordCode(code) || (code === 0x2e && kindOf(text.charCodeAt(next + 1)) === DIGIT)) return -1;
  return portEnd(text, next);
}

/** An IPv6 address with `::` or all eight groups and at least one digit, or a hardware address of six pairs. */
export function colonAddressEnd(text: string, at: number): number {
  let next = at;
  let groups = 0;
  let pairs = 0;
  let gaps = 0;
  let digits = 0;
  for (;;) {
    const end = hexRun(text, next, 5);
    const isEmpty = end === next;
    if (end - next > 4 || (isEmpty && next > at && text.charCodeAt(end) === 0x3a)) return -1;
    if (end - next === 2) pairs += 1;
    if (!isEmpty) groups += 1;
    for (let i = next; i < end; i += 1) if (kindOf(text.charCodeAt(i)) === DIGIT) digits += 1;
    next = end;
    if (text.charCodeAt(next) !== 0x3a || groups > 8) break;
    const isGap = text.charCodeAt(next + 1) === 0x3a;
    if (!isGap && !isHex(text.charCodeAt(next + 1))) break;
    if (isGap) gaps += 1;
    next += isGap ? 2 : 1;
  }
  const code = text.charCodeAt(next);
  if (isWordCode(code) || code === 0x5f) return -1;
  if (code === 0x2e && gaps === 1) {
    // ::ffff:192.0.2.1
    const tail = text.lastIndexOf(':', next) + 1;
    const end = tail > at ? ipv4End(text, tail) : -1;
    if (end > 0) return end;
  }
  if (digits === 0) return -1;
  return (gaps === 1 && groups < 8) || (gaps === 0 && (groups === 8 || (groups === 6 && pairs === 6))) ? next : -1;
}

/** `[2001:db8::1]` with an optional port; `at` is the bracket. */
export function bracketedAddressEnd(text: string, at: number): number {
  const end = colonAddressEnd(text, at + 1);
  return end > 0 && text.charCodeAt(end) === 0x5d ? portEnd(text, end + 1) : -1;
}

/** 8-4-4-4-12 hexadecimal digits. */
export function uuidEnd(text: string, at: number): number {
  let next = at;
  for (const length of [8, 4, 4, 4, 12]) {
    if (next > at && text.charCodeAt(next++) !== 0x2d) return -1;
    const end = hexRun(text, next, length);
    if (end - next < length) return -1;
    next = end;
  }
  return isWordCode(text.charCodeAt(next)) ? -1 : next;
}

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

const KEPT_WORDS = new Set(['signal', 'code', 'status', 'errno']);

/**
 * Matches a short number behind `signal`, `code`, `status` or `errno`, which names the error and stays: `exited on
 * signal 11`. `wordAt` to `at` is the word; a separator and at most three digits must follow, and nothing that
 * continues them.
 */
export function keptNumberEnd(text: string, wordAt: number, at: number): number {
  const code = text.charCodeAt(at);
  if (code !== 0x20 && code !== 0x3a && code !== 0x3d) return -1;
  const from = code === 0x3a && text.charCodeAt(at + 1) === 0x20 ? at + 2 : at + 1;
  if (kindOf(text.charCodeAt(from)) !== DIGIT || at - wordAt > 6) return -1;
  const end = digitRun(text, from, 3);
  if (!KEPT_WORDS.has(text.slice(wordAt, at))) return -1;
  const next = text.charCodeAt(end);
  if (Number.isNaN(next) || kindOf(next) === BLANK || next === 0x29 || next === 0x5d) return end;
  if (next === 0x3b || next === 0x3c) return end;
  return next === 0x2c && kindOf(text.charCodeAt(end + 1)) !== DIGIT ? end : -1;
}

/** `(2: ` of `(2: No such file or directory)`: the number of a system error stays. `at` is the parenthesis. */
export function errnoEnd(text: string, at: number): number {
  const end = digitRun(text, at + 1, 5);
  if (end === at + 1 || text.charCodeAt(end) !== 0x3a || text.charCodeAt(end + 1) !== 0x20) return -1;
  const next = text.charCodeAt(end + 2);
  return kindOf(next) === LETTER || next === 0x3c ? end + 2 : -1;
}

export const CUT_NAME = '... (';

/** Returns the index where a name that nginx cut continues as `... (36: File name too long)`. */
export function cutNameEnd(text: string, from: number, limit: number): number {
  let at = text.indexOf(CUT_NAME, from);
  while (at >= 0 && at < limit && errnoEnd(text, at + CUT_NAME.length - 1) < 0) at = text.indexOf(CUT_NAME, at + 1);
  return at < limit ? at : -1;
}

/** Matches the domain behind an `@` at `at`: a dot in it, and no dot or hyphen at its end. */
export function mailDomainEnd(text: string, at: number, limit: number): number {
  let end = at + 1;
  let dots = 0;
  for (; end < limit && end - at < 255; end += 1) {
    const code = text.charCodeAt(end);
    if (code === 0x2e) dots += 1;
    else if (!isWordCode(code) && code !== 0x2d) break;
  }
  for (; end > at + 1; end -= 1) {
    const code = text.charCodeAt(end - 1);
    if (code === 0x2e) dots -= 1;
    else if (code !== 0x2d) break;
  }
  return dots > 0 && isWordCode(text.charCodeAt(at + 1)) ? end : -1;
}

/**
 * Matches the rest of a date, a time, a version or a list of numbers: everything that continues behind `at` with a
 * mark and a digit.
 */
export function numberTailEnd(text: string, at: number, limit: number): number {
  let end = at;
  for (;;) {
    const code = text.charCodeAt(end);
    const isJoint = (code >= 0x2b && code <= 0x2f) || code === 0x3a;
    if (!isJoint || kindOf(text.charCodeAt(end + 1)) !== DIGIT) return end;
    end += 2;
    while (end < limit && isWordCode(text.charCodeAt(end))) end += 1;
  }
}

/**
 * nginx decodes `%0A` in a path that it quotes, so the quote may end on a later line. `from` is the end of the line on
 * which it begins. Returns the end of the line on which it ends, if nginx's context follows there, otherwise 0.
 */
export function brokenPathEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    if (goesOn(text.charCodeAt(at + 1))) continue;
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline;
    const context = text.indexOf(', client: ', at);
    return context > 0 && context < end ? end : 0;
  }
  return 0;
}

/** `<cut>` ends a form that is full. */
const PLACEHOLDERS = ['<num>', '<str>', '<ip>', '<id>', '<mail>', '<cut>'];

/** Matches a placeholder that is already in the text. `at` is its `<`. */
export function placeholderEnd(text: string, at: number): number {
  for (const placeholder of PLACEHOLDERS) if (text.startsWith(placeholder, at)) return at + placeholder.length;
  return -1;
}

const SERVER = ', server: ';
const MAX_SERVER = 255;

/** `, server: example.com` at `at`: a server name, a wildcard or an expression, or a listening address. */
export function serverEnd(text: string, at: number, limit: number): number {
  if (text.charCodeAt(at) !== 0x2c || !text.startsWith(SERVER, at)) return -1;
  const from = at + SERVER.length;
  let to = from;
  while (to < limit && to - from <= MAX_SERVER && isServerCode(text.charCodeAt(to))) to += 1;
  const next = text.charCodeAt(to);
  const ends = to === limit || next === 0x2c || kindOf(next) === BLANK;
  return ends && to > from && to - from <= MAX_SERVER ? to : -1;
}

function isServerCode(code: number): boolean {
  if (code >= 0x80) return true;
  return code > 0x23 && code < 0x7f && code !== 0x27 && code !== 0x2c && code !== 0x3c && code !== 0x5c;
}

/** Tells whether a unit is a letter, also outside ASCII. */
export function isLetter(code: number): boolean {
  return kindOf(code) === LETTER;
}

/** Tells whether a unit joins letters and numbers in names and before the `@` of a mail address. */
export function isNameMark(code: number): boolean {
  return code === 0x5f || code === 0x25 || code === 0x2b || code === 0x2d || code === 0x2e;
}

/** Tells whether `from` to `to` is a short name without digits, such as the keys of JSON. */
export function isName(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (!isLetter(code) && !isNameMark(code)) return false;
  }
  return to > from && to - from <= 64;
}

/**
 * Tells whether a word or a path continues here, in the text or in its normal form, where a number begins with `<`.
 */
export function goesOn(code: number): boolean {
  return isWordCode(code) || code === 0x5f || code === 0x3c || code === 0x2f;
}

export function isQuote(code: number): boolean {
  return code === 0x22 || code === 0x27 || code === 0x60;
}

/**
 * Tells whether a query string continues. It ends at blanks, quotes, closing brackets, commas and the beginning of a
 * placeholder.
 */
export function isQueryCode(code: number): boolean {
  switch (code) {
    case 0x29:
    case 0x2c:
    case 0x3c:
    case 0x3e:
    case 0x3f:
    case 0x5c:
    case 0x5d:
    case 0x7d:
      return false;
    default:
      return kindOf(code) !== BLANK && !isQuote(code);
  }
}
