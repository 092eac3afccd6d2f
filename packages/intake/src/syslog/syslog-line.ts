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
  plausibleSeconds,
  readJson,
  readNginxHead,
  readRequestId,
  withoutColours,
} from '@quarterdeck/core/lines';
import { blanksEnd, type Header, keepFarOff, read3164 } from './bsd-header.ts';
import { addParams, readStructuredData, requestIdOf } from './structured-data.ts';
import { looksLikeStamp, readIsoStamp } from './syslog-time.ts';

/** A name that needs no cleaning. */
const USUAL_NAME = /^[!-~]{1,255}$/;
/** Maximum characters of the id of a process, which only tells processes apart. */
const MAX_PID = 128;
const BOM = 0xfeff;
const SPACE = 0x20;
const OPEN = 0x5b;
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
  /** Id of the process; absent = none. It separates the traces of two processes. */
  pid?: string;
  /** The message is empty: a program wrote a blank line. `log` is the header then. */
  isBlank?: true;
  /** No further line continues this one. */
  isComplete?: true;
  /** Time in the header as if it were in UTC: it only compares the lines of one sender. Absent = none. */
  clock?: number;
  /** MSG began with one space: rsyslog writes the space behind the tag of RFC 3164 before each message. */
  isSpaced?: true;
}

/**
 * Reads one datagram or one frame.
 *
 * - The level is `severity + 1`. The level in the brackets of an nginx line has precedence.
 * - A time with a zone (RFC 5424, ISO 8601) is the time of the line. A time without a zone counts only if it is more
 *   than 14 hours old, see `readBsdStamp`. Times before 2001 or more than a day ahead become `receivedAt`, and the
 *   field `stamp` has them as they came.
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
  const text = withoutColours(decodeText(bytes));
  const end = trimmedEnd(text);
  if (end === 0) return null;
  const priAt = text.charCodeAt(0) === BOM ? 1 : 0;
  const priEnd = readPriority(text, priAt);
  if (priEnd === 0) {
    return line(text, end, { ...NOTHING_KNOWN }, undefined, receivedAt, lostBytes);
  }
  const severity = Number(text.slice(priAt + 1, priEnd - 1)) & 7;
  const header = read5424(text, blanksEnd(text, priEnd), receivedAt) ?? read3164(text, priEnd, receivedAt);
  return line(text, end, header, severity + 1, receivedAt, lostBytes);
}

const NOTHING_KNOWN: Header = { sent: Number.NaN, clock: Number.NaN, hostname: '', appName: '', start: 0 };

function line(
  text: string,
  end: number,
  header: Header,
  level: number | undefined,
  receivedAt: number,
  lostBytes: number,
): SyslogLine {
  const start = text.charCodeAt(header.start) === BOM ? header.start + 1 : header.start;
  const nginx = readNginxHead(text, start) ?? startupHead(text, start, header.appName);
  const from = nginx?.start ?? start;
  const found = nginx === undefined ? undefined : nginxFields(text, start, from);
  const hasFields = Boolean(header.msgId) || (header.params?.length ?? 0) > 0 || header.stamp !== undefined;
  const isObject = nginx === undefined && text.charCodeAt(end - 1) === CLOSE_BRACE && lostBytes === 0;
  const objectAt = isObject ? objectStart(text, from) : -1;
  const set = hasFields || objectAt >= 0 ? new FieldSet() : undefined;
  const json = objectAt < 0 ? undefined : readJson(text.slice(objectAt, end), receivedAt, { fields: set });
  const fields = set === undefined ? found : withHeader(set, header, found);
  const appName = header.appName || json?.service || '';
  // A running nginx writes its pid, and only Lua writes several lines.
  const isComplete = json !== undefined || (found?.['pid'] !== undefined && !text.startsWith('lua ', from));
  const known = nginx?.level ?? json?.level ?? level;
  // Assignments, because spreads would take a third of the time of a line.
  const read: SyslogLine = {
    level: known ?? LEVEL_ERROR,
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
  if (known === undefined) read.lacksLevel = true;
  // A stamp without a zone is a time: the zone alone is that of the arrival.
  if (Number.isNaN(header.clock) && json?.logTime === undefined) read.lacksTime = true;
  if (appName !== '') read.service = appName;
  if (fields !== undefined) {
    read.fields = fields;
    if (fields === found) read.hasTextFields = true;
  }
  if (from >= end) read.isBlank = true;
  if (isComplete) read.isComplete = true;
  if (header.pid) read.pid = header.pid;
  if (header.isSpaced) read.isSpaced = true;
  if (!Number.isNaN(header.clock)) read.clock = header.clock;
  return read;
}

/** Adds what the header and nginx have to the fields of a message. */
function withHeader(
  fields: FieldSet,
  { msgId = '', params = [], stamp = '' }: Header,
  nginx: LineFields = {},
): LineFields | undefined {
  for (const name in nginx) fields.add(name, nginx[name] ?? '');
  fields.add('msgid', msgId);
  fields.add('stamp', stamp);
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
  plausibleSeconds(Number.isNaN(sent) && json?.logTime !== undefined ? json.logTime : sent, receivedAt) ?? receivedAt;

/** Reads `[emerg] ...` after the tag: nginx prints `nginx: [emerg] ...` at its start, so its name looks like a tag. */
function startupHead(text: string, start: number, appName: string): NginxHead | undefined {
  return appName === 'nginx' && text.charCodeAt(start) === OPEN && text.startsWith('nginx: ', start - 7)
    ? readNginxHead(text, start - 7)
    : undefined;
}

/** Index after `<PRI>` at `from`, or 0 without one (RFC 5424 6.2.1: 0 to 191). */
function readPriority(text: string, from: number): number {
  if (text.charCodeAt(from) !== 0x3c) return 0;
  let value = 0;
  for (let at = from + 1; at <= from + 4; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x3e) return at > from + 1 && value <= 191 ? at + 1 : 0;
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
function read5424(text: string, at: number, receivedAt: number): Header | undefined {
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
  const pid = text.slice(procAt, idAt - 1);
  const header: Header = {
    sent: isWhole ? stamp.seconds : Number.NaN,
    clock: isWhole ? stamp.clock : Number.NaN,
    hostname: headerField(text.slice(hostAt, appAt - 1)),
    appName: headerField(text.slice(appAt, procAt - 1)),
    params: data.params,
    pid: pid === '-' ? '' : pid.slice(0, MAX_PID),
    msgId,
    start: isSpaced ? data.end + 1 : data.end,
    isSpaced,
  };
  if (isWhole) keepFarOff(header, text, at + 2, stamp, receivedAt);
  return header;
}

function headerField(field: string): string {
  if (field === '-') return '';
  return USUAL_NAME.test(field) ? field : cleanName(field);
}
