// Parses an entry of unknown form: nginx's, a JSON object, or plain text. Never throws.

import { type JsonEntry, readJson } from './json-entry.ts';
import { readLeadingTime } from './leading-time.ts';
import { levelInText } from './level-in-text.ts';
import { FieldSet } from './line-fields.ts';
import type { LineFields, LogLine } from './log-line.ts';
import { hasTimestamp, parseNginxMessage } from './nginx-line.ts';
import { LOCAL_ZONE, type TimeZone } from './time-zone.ts';

/** Content of an entry. An absent value is one that it does not have. */
export type TextEntry = Pick<LogLine, 'log'> & Partial<LogLine & Pick<JsonEntry, 'isTrace' | 'host'>>;

/** The head of a line that a syslog daemon has written to a file. An ISO time is common, so it needs a process id. */
const SYSLOG_HEAD =
  /^(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ ([\w.@/-]{1,48})(?:\([\w-]+\))?(?:\[\d+\])?: |\d{4}-\d\d-\d\dT\S+ \S+ (?:([\w.@/-]{1,48})\[\d+\]|(kernel)): )/;

/**
 * Parses an entry. `nowS` (Unix seconds) tells which times are plausible; `zone` is that of times without one. Fields
 * that were lost are named in `fields_dropped`.
 */
export function readTextEntry(text: string, nowS: number, zone?: TimeZone): TextEntry {
  return readNginx(text, nowS, zone) ?? readObject(text, nowS, zone) ?? readPlain(text, nowS, zone);
}

function readNginx(text: string, nowS: number, zone: TimeZone | undefined): TextEntry | undefined {
  const line = parseNginxMessage(text, nowS);
  if (line === null) return undefined;
  const { level, log, reqId } = line;
  const logTime = readNginxTime(text, nowS, zone);
  return { level, log, reqId, ...(logTime === undefined ? {} : { logTime }) };
}

/** Length of `2026/11/20 09:00:00`, behind which nginx writes ` [`. */
const STAMP_LENGTH = 19;

/** The last time of nginx. Lines of one second come in a row, and reading a time is a tenth of the work on a line. */
let last = { stamp: '', nowS: Number.NaN, zone: LOCAL_ZONE, seconds: undefined as number | undefined };

function readNginxTime(text: string, nowS: number, zone = LOCAL_ZONE): number | undefined {
  if (nowS === last.nowS && zone === last.zone && text.startsWith(last.stamp)) return last.seconds;
  const time = readLeadingTime(text, nowS, zone);
  // Nothing behind ` [` has a part in such a time.
  if (time?.end === STAMP_LENGTH && hasTimestamp(text, 0))
    last = { stamp: text.slice(0, STAMP_LENGTH + 2), nowS, zone, seconds: time.seconds };
  return time?.seconds;
}

function readObject(text: string, nowS: number, zone: TimeZone | undefined): TextEntry | undefined {
  const set = new FieldSet();
  const entry = readJson(text, nowS, { fields: set, zone });
  const fields = set.takeWithLost();
  return entry === undefined || fields === undefined ? entry : { ...entry, fields };
}

function readPlain(text: string, nowS: number, zone: TimeZone | undefined): TextEntry {
  const level = levelInText(text);
  const time = readLeadingTime(text, nowS, zone);
  const service = serviceOf(text);
  return {
    log: text,
    ...(level === undefined ? {} : { level }),
    ...(time?.seconds === undefined ? {} : { logTime: time.seconds }),
    ...(time !== undefined && time.seconds === undefined ? { fields: { stamp: time.stamp } satisfies LineFields } : {}),
    ...(service === undefined ? {} : { service }),
  };
}

function serviceOf(text: string): string | undefined {
  return SYSLOG_HEAD.exec(text)
    ?.slice(1)
    .find((part) => part !== undefined);
}
