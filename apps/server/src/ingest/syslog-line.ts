// One syslog message to one log line: RFC 5424, RFC 3164 as it is really sent, nginx inside either. Never throws.
import { LEVEL_ERROR } from '@quarterdeck/core';
import {
  cleanText,
  decodeText,
  type LogLine,
  type NginxHead,
  nginxFields,
  readNginxHead,
  readRequestId,
} from '@quarterdeck/core/lines';
import { readStructuredData } from './structured-data.ts';
import { looksLikeStamp, plausibleTime, readBsdStamp, readIsoStamp, type Stamp } from './syslog-time.ts';

const MAX_HOSTNAME = 255;
const MAX_TAG = 64;
const BOM = 0xfeff;
const SPACE = 0x20;
const COLON = 0x3a;
const OPEN = 0x5b;
const CLOSE = 0x5d;

/** A line received by syslog. `hostname` and `appName` are what the header says, `''` when it does not. */
export interface SyslogLine extends LogLine {
  hostname: string;
  appName: string;
  /** There is nothing behind the header: a program has written a blank line. `log` is the header then. */
  isBlank?: true;
}

/** What stands before the message. `start` is the index of the message, `sent` Unix seconds or NaN when not said. */
interface Header {
  sent: number;
  hostname: string;
  appName: string;
  reqId: string;
  start: number;
}

interface Tag {
  name: string;
  start: number;
}

/**
 * Reads one datagram or one frame.
 *
 * - Severity becomes `level = severity + 1`; the level in an nginx line's brackets wins over it.
 * - A time with a zone (RFC 5424, ISO 8601) is the time of the line. One without is used only when it is more than
 *   14 hours old, see `readBsdStamp`; times before 1970 or more than a day ahead become `receivedAt`.
 * - What cannot be understood is kept as it came, with level ERROR when it has no priority. A header without any
 *   message behind it is kept as text as well.
 * - Structured data is not stored; a `request_id` or `req_id` in it is.
 *
 * @param receivedAt Unix seconds
 * @param lostBytes how many bytes of the frame the reader had to leave out
 * @returns `null` only when there is nothing but white space and NUL
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

const NOTHING_KNOWN: Header = { sent: Number.NaN, hostname: '', appName: '', reqId: '', start: 0 };

function line(
  text: string,
  end: number,
  header: Header,
  level: number,
  receivedAt: number,
  lostBytes: number,
): SyslogLine {
  const { hostname, appName } = header;
  const start = text.charCodeAt(header.start) === BOM ? header.start + 1 : header.start;
  const nginx = readNginxHead(text, start) ?? startupHead(text, start, appName);
  const from = nginx?.start ?? start;
  const fields = nginx === undefined ? undefined : nginxFields(text, start, from);
  return {
    level: nginx?.level ?? level,
    log: cleanText(from < end ? text.slice(from, end) : text.slice(0, end), undefined, lostBytes),
    logTime: plausibleTime(header.sent, receivedAt),
    appId: 0,
    reqId: header.reqId || (nginx === undefined ? '' : readRequestId(text, from)),
    count: 1,
    ...(fields === undefined ? {} : { fields }),
    hostname,
    appName,
    ...(from < end ? {} : { isBlank: true }),
  };
}

/** `[emerg] ...` behind the tag: what nginx prints while it starts is `nginx: [emerg] ...`, so its name reads as the tag. */
function startupHead(text: string, start: number, appName: string): NginxHead | undefined {
  return appName === 'nginx' && text.charCodeAt(start) === OPEN && text.startsWith('nginx: ', start - 7)
    ? readNginxHead(text, start - 7)
    : undefined;
}

/** The index behind `<PRI>`, or 0 when there is none (RFC 5424 6.2.1: 0 to 191). */
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

/** The length without the line breaks, blanks and NULs that senders put at the end; 0 when nothing else is there. */
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
  // A time that there is not (30 February, a zone of 99 hours) spoils the time, and not who sent the line.
  if (!nil && !isWhole && !looksLikeStamp(text, at + 2)) return undefined;
  const data = readStructuredData(text, dataAt);
  return {
    sent: isWhole ? stamp.seconds : Number.NaN,
    hostname: headerField(text.slice(hostAt, appAt - 1)),
    appName: headerField(text.slice(appAt, procAt - 1)),
    reqId: data.reqId,
    start: data.end,
  };
}

function headerField(field: string): string {
  return field === '-' ? '' : cleanText(field, MAX_HOSTNAME);
}

/** `[Mmm dd hh:mm:ss ][host ]tag[pid]: message`, where everything before the message may be missing. */
function read3164(text: string, at: number, receivedAt: number): Header {
  const stamp: Stamp | undefined = readBsdStamp(text, at, receivedAt) ?? readIsoStamp(text, at);
  if (stamp === undefined) return tagged(text, at, Number.NaN);
  let next = stamp.end;
  if (text.charCodeAt(next) === COLON) next += 1;
  if (text.charCodeAt(next) === SPACE) next += 1;
  return tagged(text, next, stamp.seconds);
}

/**
 * Host and tag. RFC 3164 cannot tell a host from the first word of a message, so a first word is a host only when a
 * tag follows it: otherwise it stays in the message, where nothing is lost. nginx leaves the host empty (two blanks)
 * until it has read its own name, and leaves it out with `nohostname`.
 */
function tagged(text: string, at: number, sent: number): Header {
  const first = text.charCodeAt(at) === SPACE ? at + 1 : at;
  const alone = readTag(text, first, false);
  if (alone !== undefined) return { sent, hostname: '', appName: alone.name, reqId: '', start: alone.start };
  const hostEnd = text.indexOf(' ', first);
  if (hostEnd > first && isHostname(text, first, hostEnd)) {
    const tag = readTag(text, hostEnd + 1, true);
    if (tag !== undefined) {
      return { sent, hostname: text.slice(first, hostEnd), appName: tag.name, reqId: '', start: tag.start };
    }
  }
  const tag = readTag(text, first, true);
  return { sent, hostname: '', appName: tag?.name ?? '', reqId: '', start: tag?.start ?? first };
}

/** `name: `, `name[pid]: ` or `name[pid] ` at `at`; with `loose` also `name:` without a blank behind it. */
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

/** Letters, digits and the marks that program names carry; no quotes, braces or `=`, which begin messages. */
function isTagCode(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x40 && code <= 0x5a) ||
    (code >= 0x2b && code <= 0x39 && code !== 0x2c) ||
    code === 0x5f ||
    code === 0x25
  );
}

/** A name (letters, digits, `-._`), an IPv4 or an IPv6 address. */
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
