// Recognisers of tokens that differ from one occurrence of an error to the next. Each reads a bounded number of
// characters from `at` and returns the index behind the token, or -1.

import { BLANK, DIGIT, digitRun, goesOn, isQueryCode, isQuote, isWordCode, kindOf } from './characters.ts';
import { errnoEnd } from './codes.ts';

const GREATER = 0x3e;
export const CUT_NAME = '... (';

/** Returns the index where a name that nginx cut continues as `... (36: File name too long)`. */
export function cutNameEnd(text: string, from: number, limit: number): number {
  let at = text.indexOf(CUT_NAME, from);
  while (at >= 0 && at < limit && errnoEnd(text, at + CUT_NAME.length - 1) < 0) at = text.indexOf(CUT_NAME, at + 1);
  return at < limit ? at : -1;
}

/**
 * Matches the domain behind an `@` at `at`: a dot in it, and no dot or hyphen at its end. In `<17.A4@web-3>`, the id of
 * a message, it may be one name.
 */
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
  const isWhole = dots > 0 || text.charCodeAt(end) === GREATER;
  return isWhole && isWordCode(text.charCodeAt(at + 1)) ? end : -1;
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

/** Tells whether a unit ends a path. Brackets and separators also end a token. */
function endsPath(code: number): boolean {
  switch (code) {
    case 0x28:
    case 0x29:
    case 0x2c:
    case 0x3a:
    case 0x3b:
    case 0x3c:
    case 0x3d:
    case 0x3e:
    case 0x3f:
    case 0x5b:
    case 0x5d:
    case 0x7b:
    case 0x7c:
    case 0x7d:
      return true;
    default:
      return kindOf(code) === BLANK || isQuote(code);
  }
}

const SLASH = 0x2f;
const BACKSLASH = 0x5c;

/** Returns the end of the characters of a path, or of several joined by `:`, that begins at `at`. */
export function pathRun(text: string, at: number, limit: number): number {
  const mayHaveBackslash = text.charCodeAt(at) === BACKSLASH;
  let end = at;
  for (; end < limit; end += 1) {
    const code = text.charCodeAt(end);
    if (code === BACKSLASH && !mayHaveBackslash) break;
    if (endsPath(code) && !(code === 0x3a && text.charCodeAt(end + 1) === SLASH)) break;
  }
  return end;
}

/** Tells whether a path that ends at `end` ends with a backslash that escapes a quote: without it, the quote closes. */
export function escapesQuote(text: string, end: number): boolean {
  return text.charCodeAt(end - 1) === BACKSLASH && isQuote(text.charCodeAt(end));
}

/** Words between a path and a number of a line, see {@link isPlaceInCode}. */
const LINE_WORDS = [' on line ', ', line ', ' line '];

/** Tells whether a path that ends at `end` names a place in code: `a.c:12`, `a.php(12)`, `a.php on line 12`. */
export function isPlaceInCode(text: string, end: number, limit: number): boolean {
  if (end >= limit) return false;
  const next = text.charCodeAt(end + 1);
  switch (text.charCodeAt(end)) {
    case 0x3c:
      return true;
    case 0x3a:
      return end + 1 < limit && kindOf(next) !== BLANK;
    case 0x28:
      return isNumber(next);
    default:
      return LINE_WORDS.some((words) => text.startsWith(words, end) && isNumber(text.charCodeAt(end + words.length)));
  }
}

/** Tells whether a number begins, in the text or in its normal form. */
function isNumber(code: number): boolean {
  return code === 0x3c || kindOf(code) === DIGIT;
}

/** Returns the end of a path without the dots that close a sentence, and behind its query. */
export function pathEnd(text: string, from: number, to: number, limit: number): number {
  let end = to;
  if (text.charCodeAt(end) !== 0x3f || end === limit) {
    while (end > from + 1 && text.charCodeAt(end - 1) === 0x2e) end -= 1;
    return end;
  }
  while (end < limit && (text.charCodeAt(end) === 0x3f || isQueryCode(text.charCodeAt(end)))) end += 1;
  return end;
}

/** Tells whether `key=` follows: a query, which may stand behind a name without a path. */
export function isQueryKey(text: string, at: number, limit: number): boolean {
  let end = at;
  while (end < limit && (isWordCode(text.charCodeAt(end)) || text.charCodeAt(end) === 0x5f)) end += 1;
  return end > at && end < limit && text.charCodeAt(end) === 0x3d;
}

const METHOD = /(?:GET|POST|PUT|DELETE|HEAD|PATCH|OPTIONS|CONNECT|TRACE) /y;

/** Returns the end of the method of HTTP at `at`, with the blank behind it; `at` without one. */
export function methodEnd(text: string, at: number): number {
  METHOD.lastIndex = at;
  return METHOD.test(text) ? METHOD.lastIndex : at;
}

/** Tells whether a number between `<` and `>` begins at `at`, as the priority of syslog does. */
export function isBracketedNumber(text: string, at: number): boolean {
  return text.charCodeAt(digitRun(text, at, 8)) === 0x3e;
}

const BUNDLE_ENDING = /\.(?:m?js|css)\b/y;
/** Length of the hash in the name of a bundle. */
const HASH = 8;

/** Matches the hash in the name of a bundle, as Vite makes it: `index-Bk_9a-Zx.js`. `at` is the hyphen before it. */
export function bundleHashEnd(text: string, at: number): number {
  const end = at + 1 + HASH;
  if (text.charCodeAt(end) !== 0x2e) return -1;
  let capitals = 0;
  let others = 0;
  for (let i = at + 1; i < end; i += 1) {
    const code = text.charCodeAt(i);
    if (code >= 0x41 && code <= 0x5a) capitals += 1;
    else if (code === 0x2d || code === 0x5f || kindOf(code) === DIGIT) others += 1;
    else if (code < 0x61 || code > 0x7a) return -1;
  }
  BUNDLE_ENDING.lastIndex = end;
  // `user-settings.js` and `my-UserList.js` are names.
  return (capitals > 2 || (capitals > 0 && others > 0)) && BUNDLE_ENDING.test(text) ? end : -1;
}

const MAX_NAME = 64;

/** Tells whether `from` to `to` is a short name, which may have digits. */
export function isIdentifier(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (!isWordCode(code) && code !== 0x5f && code !== 0x2d && code !== 0x2e) return false;
  }
  return to > from && to - from <= MAX_NAME;
}
