// Reads the header of RFC 3164 in its real variants: those of syslog daemons, of nginx, and of routers, firewalls and
// appliances.
import { plausibleSeconds } from '@quarterdeck/core/lines';
import type { DataParam } from './structured-data.ts';
import { readBsdStamp, readIsoStamp, type Stamp } from './syslog-time.ts';

/** The header before the message. `start` is the index of the message. */
export interface Header {
  /** Unix seconds, or NaN. */
  sent: number;
  /** As in {@link Stamp}, or NaN. */
  clock: number;
  hostname: string;
  appName: string;
  start: number;
  /** Id of the process, or `''`. */
  pid?: string;
  /** MSGID, or `''`. */
  msgId?: string;
  params?: readonly DataParam[];
  isSpaced?: boolean;
  /** The stamp as it came, if its time is too far off to be true. */
  stamp?: string;
}

interface Tag {
  readonly name: string;
  readonly pid: string;
  readonly start: number;
}

/** Text of Cisco before the stamp: counters, a name and a mark of its clock. */
interface Prefix {
  readonly hostname: string;
  readonly params: readonly DataParam[];
  readonly stamp: Stamp | undefined;
  readonly stampAt: number;
  /** Index of the message, where there is no stamp. */
  readonly end: number;
}

const MAX_HOSTNAME = 255;
const MAX_TAG = 64;
const MAX_PREFIXES = 4;
const MAX_BLANKS = 4;
const TAB = 0x09;
const SPACE = 0x20;
const COLON = 0x3a;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const PERCENT = 0x25;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const NIL = '-';
const DIGITS = /^\d+$/;
/** The time since the start, which Cisco writes without a clock: `1w2d: `, `00:00:46: `. */
const UPTIME = /(?:\d{1,4}[wdhms]){1,3}: |\d\d:\d\d:\d\d: /y;
const WEEKDAY = /(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? {1,2}/y;
/** A module behind the name of a program: `sshd(pam_unix)[17]: `. */
const MODULE = /\([\w-]{1,32}\)(?=\[\d{1,10}\]: )/y;
const ZONE = / ([A-Z]{2,5})(?=: )/y;
/** Words of messages seldom have a digit, or a dot within. */
const LIKE_A_HOST = /\d|[^.]\.[^.]/;
/** Formats whose name, with its version, is a part of the message. */
const MESSAGE_FORMAT = /(?:CEF|LEEF):\d/y;
/** A message behind the name of a host: JSON, one of these formats, or a program whose name has a blank. */
const MESSAGE_BEGINS =
  /[{<]|(?:\S{1,32} )?(?:CEF|LEEF):\d|[A-Za-z][\w.-]{0,31}(?: [A-Za-z][\w.-]{0,31}){1,2}(?:\[\d{1,10}\])?: /y;

const testAt = (pattern: RegExp, text: string, at: number): boolean => {
  pattern.lastIndex = at;
  return pattern.test(text);
};

/** Keeps the stamp if its time is too far off to be true: devices begin in 1970 until they know the time. */
export function keepFarOff(header: Header, text: string, at: number, stamp: Stamp, receivedAt: number): void {
  if (Number.isNaN(stamp.seconds) || plausibleSeconds(stamp.seconds, receivedAt) !== undefined) return;
  header.stamp = text.slice(at, stamp.end);
}

/** Index behind the weekday at `at`, which some devices write before the month. */
function weekdayEnd(text: string, at: number): number {
  return testAt(WEEKDAY, text, at) ? WEEKDAY.lastIndex : at;
}

const readStamp = (text: string, at: number, receivedAt: number): Stamp | undefined =>
  readBsdStamp(text, weekdayEnd(text, at), receivedAt) ?? readIsoStamp(text, at);

/** Index behind a few blanks, which some devices write behind the priority. */
export function blanksEnd(text: string, at: number): number {
  let end = at;
  while (end - at < MAX_BLANKS && isBlank(text.charCodeAt(end))) end += 1;
  return end;
}

const isBlank = (code: number): boolean => code === SPACE || code === TAB;

/** `[Mmm dd hh:mm:ss ][host ]tag[pid]: message` at `at`; each part before the message may be missing. */
export function read3164(text: string, at: number, receivedAt: number): Header {
  const from = blanksEnd(text, at);
  const own = readStamp(text, from, receivedAt);
  const prefix = own === undefined ? readPrefix(text, from, receivedAt) : undefined;
  const stamp = own ?? prefix?.stamp;
  if (stamp === undefined) {
    const header = tagged(text, prefix?.end ?? at, Number.NaN, Number.NaN);
    return prefix === undefined ? header : withPrefix(header, prefix);
  }
  const zone = zoneAt(text, stamp.end);
  let next = zone === undefined ? stamp.end : zone.end;
  const isCisco = text.charCodeAt(next) === COLON;
  if (isCisco) next += 1;
  if (text.charCodeAt(next) === SPACE) next += 1;
  const sent = zone?.isUtc === true ? stamp.clock : stamp.seconds;
  const header = tagged(text, next, sent, stamp.clock);
  keepFarOff(header, text, prefix?.stampAt ?? from, stamp, receivedAt);
  return prefix === undefined ? header : withPrefix(header, prefix);
}

function withPrefix(header: Header, { hostname, params }: Prefix): Header {
  if (header.hostname === '') header.hostname = hostname;
  if (params.length > 0) header.params = params;
  return header;
}

/** ` GMT` before a colon. */
function zoneAt(text: string, at: number): { readonly end: number; readonly isUtc: boolean } | undefined {
  const first = text.charCodeAt(at + 1);
  if (text.charCodeAt(at) !== SPACE || !(first >= 0x41 && first <= 0x5a)) return undefined;
  ZONE.lastIndex = at;
  const zone = ZONE.exec(text);
  return zone === null ? undefined : { end: ZONE.lastIndex, isUtc: zone[1] === 'GMT' || zone[1] === 'UTC' };
}

/**
 * Reads `501: 498: `, `782431: sw7: .`, `*`, `:` or `: ` before a stamp, the time since the start or
 * `%FACILITY-5-NAME: `.
 * Undefined for anything else: a message may begin with `404: `. The counters become the field `sequence`.
 */
function readPrefix(text: string, from: number, receivedAt: number): Prefix | undefined {
  const counters: string[] = [];
  let hostname = '';
  // `:%ASA-6-302013: `, `:Nov 26 20:30:00 UTC: `: firewalls of Cisco with EMBLEM.
  const isEmblem = text.charCodeAt(from) === COLON && text.charCodeAt(from + 1) !== SPACE;
  let at = isEmblem ? from + 1 : from;
  for (let words = 0; words < MAX_PREFIXES; words += 1) {
    const end = wordEnd(text, at);
    if (text.charCodeAt(end) !== COLON || text.charCodeAt(end + 1) !== SPACE || testAt(UPTIME, text, at)) break;
    const word = text.slice(at, end);
    if (DIGITS.test(word)) counters.push(word);
    else if (word !== '' && text.charCodeAt(at) !== PERCENT) hostname = word;
    else if (word !== '') break;
    at = end + 2;
  }
  const isMarked = text.charCodeAt(at) === 0x2a || text.charCodeAt(at) === 0x2e;
  const stampAt = isMarked ? at + 1 : at;
  if (stampAt === from) return undefined;
  const stamp = readStamp(text, stampAt, receivedAt);
  const params = counters.map((value) => ({ element: 'cisco', name: 'sequence', value }));
  const found = { hostname, params, stamp, stampAt };
  if (stamp !== undefined) return { ...found, end: stamp.end };
  if (testAt(UPTIME, text, stampAt)) return { ...found, end: UPTIME.lastIndex };
  return (isEmblem || counters.length > 0) && text.charCodeAt(stampAt) === PERCENT
    ? { ...found, end: stampAt }
    : undefined;
}

/**
 * Reads host and tag. RFC 3164 does not distinguish a host from the first word of a message. So a first word is a host
 * if a tag follows it, or if it looks like one: see {@link isHostAlone}. Otherwise it stays in the message. nginx
 * leaves the host empty (two spaces) until it has read its own name, and omits it with `nohostname`.
 */
function tagged(text: string, at: number, sent: number, clock: number): Header {
  const first = text.charCodeAt(at) === SPACE ? at + 1 : at;
  const alone = readTag(text, first, false);
  if (alone !== undefined) return withTag('', alone, sent, clock);
  const hostEnd = text.indexOf(' ', first);
  if (hostEnd > first && isHostname(text, first, hostEnd)) {
    const tag = readTag(text, hostEnd + 1, true);
    // Without a stamp any text with a colon would name a host.
    const mayBeHost = !Number.isNaN(clock) || LIKE_A_HOST.test(text.slice(first, hostEnd));
    if (tag !== undefined && mayBeHost) return withTag(text.slice(first, hostEnd), tag, sent, clock);
    const start = text.startsWith(': ', hostEnd + 1) ? hostEnd + 3 : hostEnd + 1;
    if (!Number.isNaN(clock) && isHostAlone(text, first, hostEnd, start)) {
      return { sent, clock, hostname: text.slice(first, hostEnd), appName: '', start };
    }
  }
  const tag = readTag(text, first, true);
  return tag === undefined ? { sent, clock, hostname: '', appName: '', start: first } : withTag('', tag, sent, clock);
}

function withTag(hostname: string, { name, pid, start }: Tag, sent: number, clock: number): Header {
  return { sent, clock, hostname, appName: name, pid, start };
}

/**
 * Tells whether a word behind a stamp is a host, although no tag follows: it has a digit or a dot, as words of
 * messages seldom have, or the text behind it begins as messages do.
 */
function isHostAlone(text: string, from: number, to: number, start: number): boolean {
  const word = text.slice(from, to);
  if (DIGITS.test(word) || text.charCodeAt(from) === PERCENT || text.charCodeAt(from) === OPEN) return false;
  return start > to + 1 || LIKE_A_HOST.test(word) || testAt(MESSAGE_BEGINS, text, start);
}

/** Index behind the letters, digits and marks of a name, at most one more than its maximum length. */
function wordEnd(text: string, at: number): number {
  let end = at;
  while (end - at <= MAX_TAG && isTagCode(text.charCodeAt(end))) end += 1;
  return end;
}

/**
 * Reads `name: `, `name[pid]: ` or `name[pid] ` at `at`; with `loose` also `name:` without a space after it. A number
 * is no name, and neither is `%ASA-6-302013`, which names the message.
 */
function readTag(text: string, at: number, loose: boolean): Tag | undefined {
  let end = wordEnd(text, at);
  if (text.charCodeAt(end) === 0x28 && testAt(MODULE, text, end)) end = MODULE.lastIndex;
  if (end === at || end - at > MAX_TAG || text.charCodeAt(at) === PERCENT) return undefined;
  const name = text.slice(at, end);
  if (DIGITS.test(name) || testAt(MESSAGE_FORMAT, text, at)) return undefined;
  const code = text.charCodeAt(end);
  let pid = '';
  if (code === OPEN) {
    const close = text.indexOf(']', end);
    if (close < 0 || close - end > MAX_TAG) return undefined;
    pid = text.slice(end + 1, close);
    end = close + 1;
    if (text.charCodeAt(end) === COLON) end += 1;
    else if (text.charCodeAt(end) !== SPACE) return undefined;
  } else if (code === COLON) {
    end += 1;
    const next = text.charCodeAt(end);
    if (!loose && next !== SPACE && end < text.length) return undefined;
    // `http://` and `C:\\` begin an address and a path.
    if (next === BACKSLASH || (next === SLASH && text.charCodeAt(end + 1) === SLASH)) return undefined;
  } else return undefined;
  return { name: name === NIL ? '' : name, pid, start: text.charCodeAt(end) === SPACE ? end + 1 : end };
}

/** True for letters, digits and marks of program names; false for quotes, braces and `=`, which begin messages. */
function isTagCode(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x40 && code <= 0x5a) ||
    (code >= 0x2b && code <= 0x39 && code !== 0x2c) ||
    code === 0x5f ||
    code === 0x25
  );
}

/** True for a name (letters, digits, `-._`), an IPv4 or an IPv6 address. */
function isHostname(text: string, from: number, to: number): boolean {
  if (to - from > MAX_HOSTNAME) return false;
  let colons = 0;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COLON) colons += 1;
    else if (!isTagCode(code) && code !== OPEN && code !== CLOSE) return false;
  }
  return colons !== 1;
}
