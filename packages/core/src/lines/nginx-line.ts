// Parses lines of nginx and OpenResty error logs, from any transport.
import { cleanText, type LogLine } from './log-line.ts';
import { nginxFields } from './nginx-fields.ts';

/** Head of an nginx line. `start` is the start of the message, after all parts that vary. */
export interface NginxHead {
  level: number;
  start: number;
}

const SPACE = 0x20;
const STAR = 0x2a;
const SLASH = 0x2f;
const COLON = 0x3a;
const HASH = 0x23;
const QUOTE = 0x22;
const OPEN = 0x5b;
const STDERR_PREFIX = 'nginx: [';
const MAX_REQUEST_ID = 128;

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function skipDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

/** Levels by their names; nginx writes no name for its level 0. */
const LEVELS = new Map([
  ['', 0],
  ...['stderr', 'emerg', 'alert', 'crit', 'error', 'warn', 'notice', 'info', 'debug'].map(
    (name, i) => [name, i] as const,
  ),
]);

/** Reads the level in brackets at `from`, and the end of the brackets. */
function readLevel(text: string, from: number): NginxHead | undefined {
  const end = text.indexOf(']', from);
  if (end < 0 || end - from > 8) return undefined;
  const start = end + 1;
  const level = LEVELS.get(text.slice(from + 1, end));
  return level === undefined ? undefined : { level, start };
}

/** Reports whether `YYYY/MM/DD hh:mm:ss [` begins at `at`. */
export function hasTimestamp(text: string, at: number): boolean {
  return (
    text.charCodeAt(at + 4) === SLASH &&
    text.charCodeAt(at + 7) === SLASH &&
    text.charCodeAt(at + 10) === SPACE &&
    text.charCodeAt(at + 13) === COLON &&
    text.charCodeAt(at + 16) === COLON &&
    text.charCodeAt(at + 19) === SPACE &&
    text.charCodeAt(at + 20) === OPEN &&
    isDigit(text.charCodeAt(at)) &&
    isDigit(text.charCodeAt(at + 3)) &&
    isDigit(text.charCodeAt(at + 18))
  );
}

/**
 * Finds the head of an nginx line at `from`: `2026/11/20 09:00:00 [error] 1234#1234: *5 ` with an optional connection
 * number, or `nginx: [emerg] `, which nginx prints while it starts. `undefined` for other text.
 */
export function readNginxHead(text: string, from = 0): NginxHead | undefined {
  if (!hasTimestamp(text, from)) {
    return text.startsWith(STDERR_PREFIX, from)
      ? afterSpace(text, readLevel(text, from + STDERR_PREFIX.length - 1))
      : undefined;
  }
  const head = readLevel(text, from + 20);
  if (head === undefined || text.charCodeAt(head.start) !== SPACE) return head;
  const pid = head.start + 1;
  const hash = skipDigits(text, pid);
  if (hash === pid || text.charCodeAt(hash) !== HASH) return afterSpace(text, head);
  const colon = skipDigits(text, hash + 1);
  if (text.charCodeAt(colon) !== COLON) return afterSpace(text, head);
  head.start = colon + 1;
  afterSpace(text, head);
  if (text.charCodeAt(head.start) === STAR) {
    const end = skipDigits(text, head.start + 1);
    if (end > head.start + 1 && text.charCodeAt(end) === SPACE) head.start = end + 1;
  }
  return head;
}

function afterSpace(text: string, head: NginxHead | undefined): NginxHead | undefined {
  if (head !== undefined && text.charCodeAt(head.start) === SPACE) head.start += 1;
  return head;
}

/** Reports whether a character may be in a request id: letters, digits and `-_.:@`. */
function isIdCode(code: number): boolean {
  return (
    isDigit(code) ||
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x40 && code <= 0x5a) ||
    code === 0x2d ||
    code === 0x2e ||
    code === 0x5f ||
    code === COLON
  );
}

/**
 * Finds the request id that OpenResty, Kong and APISIX append: `, request_id: "<id>"`, quoted or bare, also `req_id`.
 * The last one counts: a client can write one into its path or referrer, which come before it.
 *
 * @returns `''` when there is none
 */
export function readRequestId(text: string, from = 0): string {
  let at = text.lastIndexOf('_id: ');
  for (let tries = 0; at > from && tries < 4; tries += 1) {
    if (text.startsWith('request', at - 7) || text.startsWith('req', at - 3)) return idAt(text, at + 5);
    at = text.lastIndexOf('_id: ', at - 1);
  }
  return '';
}

function idAt(text: string, at: number): string {
  const start = text.charCodeAt(at) === QUOTE ? at + 1 : at;
  let end = start;
  while (end - start <= MAX_REQUEST_ID && isIdCode(text.charCodeAt(end))) end += 1;
  const id = text.slice(start, end);
  return id.length > MAX_REQUEST_ID || id === '-' ? '' : id;
}

/**
 * Parses the time of the line to Unix seconds, given the offset of the sender's clock from UTC; `undefined` when
 * invalid.
 */
function localTime(text: string, at: number, utcOffsetMinutes: number): number | undefined {
  const field = (from: number, length: number) => Number(text.slice(at + from, at + from + length));
  const seconds = Date.UTC(field(0, 4), field(5, 2) - 1, field(8, 2), field(11, 2), field(14, 2), field(17, 2)) / 1000;
  return Number.isFinite(seconds) ? seconds - utcOffsetMinutes * 60 : undefined;
}

/**
 * Parses one line of an nginx error log. The message stays as nginx wrote it, without time, process and connection
 * number. The time is the sender's local time without a zone, so it counts only with a known offset; otherwise
 * `logTime` is `receivedAt`.
 *
 * @param receivedAt Unix seconds
 * @param utcOffsetMinutes the sender's offset, +60 for UTC+1
 * @returns `null` when the text is not an nginx line
 */
export function parseNginx(text: string, receivedAt: number, utcOffsetMinutes?: number): LogLine | null {
  const head = readNginxHead(text);
  if (head === undefined) return null;
  const fields = nginxFields(text, 0, head.start);
  const line = lineOf(text, head, receivedAt, utcOffsetMinutes);
  return fields === undefined ? line : { ...line, fields };
}

/** Parses the same without `fields`, which are most of the work. */
export function parseNginxMessage(text: string, receivedAt: number, utcOffsetMinutes?: number): LogLine | null {
  const head = readNginxHead(text);
  return head === undefined ? null : lineOf(text, head, receivedAt, utcOffsetMinutes);
}

function lineOf(text: string, head: NginxHead, receivedAt: number, utcOffsetMinutes: number | undefined): LogLine {
  const sent =
    utcOffsetMinutes === undefined || !hasTimestamp(text, 0) ? undefined : localTime(text, 0, utcOffsetMinutes);
  const log = text.slice(head.start).trimEnd();
  return {
    level: head.level,
    log: cleanText(log === '' ? text : log),
    logTime: sent === undefined || sent < 0 || sent > receivedAt + 86_400 ? receivedAt : sent,
    appId: 0,
    reqId: readRequestId(text, head.start),
    count: 1,
  };
}
