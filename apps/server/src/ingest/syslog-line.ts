// Parses a syslog message into a log line: RFC 5424, RFC 3164 in its real variants, and nginx lines in both. It never
// throws.
import { LEVEL_ERROR } from '@quarterdeck/core';
import {
  cleanName,
  cleanText,
  decodeText,
  FieldSet,
  type JsonEntry,
  type LineFields,
  type LogLine,
  type NginxHead,
  nginxFields,
  readJson,
  readNginxHead,
  readRequestId,
} from '@quarterdeck/core/lines';
import { addParams, type DataParam, readStructuredData, requestIdOf } from './structured-data.ts';
import { looksLikeStamp, plausibleTime, readBsdStamp, readIsoStamp, type Stamp } from './syslog-time.ts';

const MAX_HOSTNAME = 255;
/** A name that needs no cleaning. */
const USUAL_NAME = /^[!-~]{1,255}$/;
const MAX_TAG = 64;
const BOM = 0xfeff;
const SPACE = 0x20;
const COLON = 0x3a;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** Marks a JSON message (Common Event Expression), as rsyslog and syslog-ng send it. */
const CEE = '@cee:';

/**
 * A line received by syslog. `hostname` and `appName` are those of the header, otherwise those in a JSON message, or
 * `''`.
 */
export interface SyslogLine extends LogLine {
  hostname: string;
  appName: string;
  /** The message is empty: a program wrote a blank line. `log` is the header then. */
  isBlank?: true;
  /** No further line continues this one. */
  isComplete?: true;
  /** Time in the header as if it were in UTC: it only compares the lines of one sender. Absent = none. */
  clock?: number;
  /** MSG began with one space: rsyslog writes the space behind the tag of RFC 3164 before each message. */
  isSpaced?: true;
}

/** The header before the message. `start` is the index of the message. */
interface Header {
  /** Unix seconds, or NaN. */
  sent: number;
  /** As in {@link Stamp}, or NaN. */
  clock: number;
  hostname: string;
  appName: string;
  start: number;
  /** MSGID, or `''`. */
  msgId?: string;
  params?: readonly DataParam[];
  isSpaced?: boolean;
}

interface Tag {
  name: string;
  start: number;
}

/**
 * Reads one datagram or one frame.
 *
 * - The level is `severity + 1`. The level in the brackets of an nginx line has precedence.
 * - A time with a zone (RFC 5424, ISO 8601) is the time of the line. A time without a zone counts only if it is more
 *   than 14 hours old, see `readBsdStamp`. Times before 1970 or more than a day ahead become `receivedAt`.
 * - A message in an unknown format is stored unchanged, with level ERROR if it has no priority. A header without a
 *   message is stored as text too.
 * - APP-NAME or TAG is the service. Structured data and MSGID become fields, except a `request_id` or `req_id`.
 * - A JSON object is read as the agent reads those of files. A level in it has precedence; host, service and time count
 *   only where the header has none. The cookie `@cee:` before it is skipped.
 *
 * @param receivedAt Unix seconds
 * @param lostBytes number of bytes of the frame that the reader cut off
 * @returns `null` only for white space and NUL
 */
export function parseSyslog(bytes: Uint8Array, receivedAt: number, lostBytes = 0): SyslogLine | null {
  const text = decodeText(bytes);
  const end = trimmedEnd(text);
  if (end === 0) return null;
  const priEnd = readPriority(text);
  if (priEnd === 0) {
    return line(text, end, { ...NOTHING_KNOWN }, LEVEL_ERROR, receivedAt, lostBytes);
  }
  const severity = priEnd === 3 ? text.charCodeAt(1) & 7 : Number(text.slice(1, priEnd - 1)) & 7;
  const header = read5424(text, priEnd) ?? read3164(text, priEnd, receivedAt);
  return line(text, end, header, severity + 1, receivedAt, lostBytes);
}

const NOTHING_KNOWN: Header = { sent: Number.NaN, clock: Number.NaN, hostname: '', appName: '', start: 0 };

function line(
  text: string,
  end: number,
  header: Header,
  level: number,
  receivedAt: number,
  lostBytes: number,
): SyslogLine {
  const start = text.charCodeAt(header.start) === BOM ? header.start + 1 : header.start;
  const nginx = readNginxHead(text, start) ?? startupHead(text, start, header.appName);
  const from = nginx?.start ?? start;
  const found = nginx === undefined ? undefined : nginxFields(text, start, from);
  const hasFields = Boolean(header.msgId) || (header.params?.length ?? 0) > 0;
  const isObject = nginx === undefined && text.charCodeAt(end - 1) === CLOSE_BRACE && lostBytes === 0;
  const objectAt = isObject ? objectStart(text, from) : -1;
  const set = hasFields || objectAt >= 0 ? new FieldSet() : undefined;
  const json = objectAt < 0 ? undefined : readJson(text.slice(objectAt, end), receivedAt, set);
  const fields = set === undefined ? found : withHeader(set, header, found);
  const appName = header.appName || json?.service || '';
  // A running nginx writes its pid, and only Lua writes several lines.
  const isComplete = json !== undefined || (found?.['pid'] !== undefined && !text.startsWith('lua ', from));
  // Assignments, because spreads would take a third of the time of a line.
  const read: SyslogLine = {
    level: nginx?.level ?? json?.level ?? level,
    log: json?.log ?? cleanText(from < end ? text.slice(from, end) : text.slice(0, end), undefined, lostBytes),
    logTime: timeOf(header, json, receivedAt),
    appId: json?.appId ?? 0,
    reqId:
      (header.params && requestIdOf(header.params)) ||
      json?.reqId ||
      (nginx === undefined ? '' : readRequestId(text, from)),
    count: 1,
    hostname: header.hostname || json?.host || '',
    appName,
  };
  if (appName !== '') read.service = appName;
  if (fields !== undefined) {
    read.fields = fields;
    if (fields === found) read.hasTextFields = true;
  }
  if (from >= end) read.isBlank = true;
  if (isComplete) read.isComplete = true;
  if (header.isSpaced) read.isSpaced = true;
  if (!Number.isNaN(header.clock)) read.clock = header.clock;
  return read;
}

/** Adds what the header and nginx have to the fields of a message. */
function withHeader(
  fields: FieldSet,
  { msgId = '', params = [] }: Header,
  nginx: LineFields = {},
): LineFields | undefined {
  for (const name in nginx) fields.add(name, nginx[name] ?? '');
  fields.add('msgid', msgId);
  addParams(fields, params);
  return fields.takeWithLost();
}

/** Index of the brace that begins a JSON message, or -1. */
function objectStart(text: string, from: number): number {
  let at = text.startsWith(CEE, from) ? from + CEE.length : from;
  while (text.charCodeAt(at) === SPACE) at += 1;
  return text.charCodeAt(at) === OPEN_BRACE ? at : -1;
}

const timeOf = ({ sent }: Header, json: JsonEntry | undefined, receivedAt: number): number =>
  plausibleTime(Number.isNaN(sent) && json?.logTime !== undefined ? json.logTime : sent, receivedAt);

/** Reads `[emerg] ...` after the tag: nginx prints `nginx: [emerg] ...` at its start, so its name looks like a tag. */
function startupHead(text: string, start: number, appName: string): NginxHead | undefined {
  return appName === 'nginx' && text.charCodeAt(start) === OPEN && text.startsWith('nginx: ', start - 7)
    ? readNginxHead(text, start - 7)
    : undefined;
}

/** Index after `<PRI>`, or 0 without one (RFC 5424 6.2.1: 0 to 191). */
function readPriority(text: string): number {
  if (text.charCodeAt(0) !== 0x3c) return 0;
  let value = 0;
  for (let at = 1; at <= 4; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x3e) return at > 1 && value <= 191 ? at + 1 : 0;
    if (!(code >= 0x30 && code <= 0x39)) return 0;
    value = value * 10 + code - 0x30;
  }
  return 0;
}

/** Length without line breaks, spaces and NULs at the end; 0 for a text of nothing else. */
function trimmedEnd(text: string): number {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) <= SPACE) end -= 1;
  return end;
}

/** `1 TIMESTAMP HOSTNAME APP-NAME PROCID MSGID STRUCTURED-DATA [MSG]` (RFC 5424 6). */
function read5424(text: string, at: number): Header | undefined {
  if (text.charCodeAt(at) !== 0x31 || text.charCodeAt(at + 1) !== SPACE) return undefined;
  const hostAt = text.indexOf(' ', at + 2) + 1;
  const appAt = text.indexOf(' ', hostAt) + 1;
  const procAt = text.indexOf(' ', appAt) + 1;
  const idAt = text.indexOf(' ', procAt) + 1;
  const dataAt = text.indexOf(' ', idAt) + 1;
  if (hostAt === 0 || appAt < hostAt || procAt < appAt || idAt < procAt || dataAt < idAt) return undefined;
  const nil = text.charCodeAt(at + 2) === 0x2d && hostAt === at + 4;
  const stamp = nil ? undefined : readIsoStamp(text, at + 2);
  const isWhole = stamp?.end === hostAt - 1;
  // An impossible time (30 February, a zone of 99 hours) invalidates the time only, not the sender.
  if (!nil && !isWhole && !looksLikeStamp(text, at + 2)) return undefined;
  const data = readStructuredData(text, dataAt);
  const msgId = headerField(text.slice(idAt, dataAt - 1));
  const isSpaced = text.charCodeAt(data.end) === SPACE && text.charCodeAt(data.end + 1) !== SPACE;
  return {
    sent: isWhole ? stamp.seconds : Number.NaN,
    clock: isWhole ? stamp.clock : Number.NaN,
    hostname: headerField(text.slice(hostAt, appAt - 1)),
    appName: headerField(text.slice(appAt, procAt - 1)),
    params: data.params,
    msgId,
    start: isSpaced ? data.end + 1 : data.end,
    isSpaced,
  };
}

function headerField(field: string): string {
  if (field === '-') return '';
  return USUAL_NAME.test(field) ? field : cleanName(field);
}

/** `[Mmm dd hh:mm:ss ][host ]tag[pid]: message`; each part before the message may be missing. */
function read3164(text: string, at: number, receivedAt: number): Header {
  const stamp: Stamp | undefined = readBsdStamp(text, at, receivedAt) ?? readIsoStamp(text, at);
  if (stamp === undefined) return tagged(text, at, Number.NaN, Number.NaN);
  let next = stamp.end;
  if (text.charCodeAt(next) === COLON) next += 1;
  if (text.charCodeAt(next) === SPACE) next += 1;
  return tagged(text, next, stamp.seconds, stamp.clock);
}

/**
 * Reads host and tag. RFC 3164 does not distinguish a host from the first word of a message. So a first word is a host
 * only if a tag follows it; otherwise it stays in the message. nginx leaves the host empty (two spaces) until it has
 * read its own name, and omits it with `nohostname`.
 */
function tagged(text: string, at: number, sent: number, clock: number): Header {
  const first = text.charCodeAt(at) === SPACE ? at + 1 : at;
  const alone = readTag(text, first, false);
  if (alone !== undefined) return { sent, clock, hostname: '', appName: alone.name, start: alone.start };
  const hostEnd = text.indexOf(' ', first);
  if (hostEnd > first && isHostname(text, first, hostEnd)) {
    const tag = readTag(text, hostEnd + 1, true);
    if (tag !== undefined) {
      return { sent, clock, hostname: text.slice(first, hostEnd), appName: tag.name, start: tag.start };
    }
  }
  const tag = readTag(text, first, true);
  return { sent, clock, hostname: '', appName: tag?.name ?? '', start: tag?.start ?? first };
}

/** Reads `name: `, `name[pid]: ` or `name[pid] ` at `at`; with `loose` also `name:` without a space after it. */
function readTag(text: string, at: number, loose: boolean): Tag | undefined {
  let end = at;
  while (end - at <= MAX_TAG && isTagCode(text.charCodeAt(end))) end += 1;
  if (end === at || end - at > MAX_TAG) return undefined;
  const name = text.slice(at, end);
  const code = text.charCodeAt(end);
  if (code === OPEN) {
    const close = text.indexOf(']', end);
    if (close < 0 || close - end > MAX_TAG) return undefined;
    end = close + 1;
    if (text.charCodeAt(end) === COLON) end += 1;
    else if (text.charCodeAt(end) !== SPACE) return undefined;
  } else if (code === COLON) {
    end += 1;
    const next = text.charCodeAt(end);
    if (!loose && next !== SPACE && end < text.length) return undefined;
  } else return undefined;
  return { name, start: text.charCodeAt(end) === SPACE ? end + 1 : end };
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
