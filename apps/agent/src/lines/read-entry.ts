// Converts an entry of a log file to a line of the server's intake. Never throws: an unknown form is plain text.
import { LEVEL_ERROR, LEVELS } from '@quarterdeck/core';
import {
  FieldSet,
  type JsonEntry,
  type LogLine,
  parseNginxMessage,
  readJson,
  readLeadingTime,
  type TimeZone,
  timeZoneOf,
} from '@quarterdeck/core/lines';
import type { LineSettings } from '../followed-files.ts';
import { readPlain } from './plain-entry.ts';
import type { WireLine } from './wire-line.ts';

const LEVEL_INFO = LEVELS.indexOf('INFO');

/** Content of an entry. An absent value is one that it does not have. */
type Read = Pick<LogLine, 'log'> & Partial<LogLine & Pick<JsonEntry, 'isTrace'>>;

function readNginx(text: string, nowS: number, zone: TimeZone | undefined): Read | undefined {
  const line = parseNginxMessage(text, nowS);
  if (line === null) return undefined;
  const { level, log, reqId } = line;
  const { seconds: logTime } = readLeadingTime(text, nowS, zone) ?? {};
  return { level, log, reqId, ...(logTime === undefined ? {} : { logTime }) };
}

function readObject(text: string, nowS: number, zone: TimeZone | undefined): Read | undefined {
  const set = new FieldSet();
  const entry = readJson(text, nowS, { fields: set, zone });
  const fields = set.takeWithLost();
  return entry === undefined || fields === undefined ? entry : { ...entry, fields };
}

/** Parses an entry: nginx's form, a JSON object, or plain text. `nowS` (Unix seconds) replaces a missing time. */
export function readEntry(text: string, nowS: number, settings: LineSettings = {}, isTrace = false): WireLine {
  const zone = settings.zone === undefined ? undefined : timeZoneOf(settings.zone);
  const read: Read = readNginx(text, nowS, zone) ?? readObject(text, nowS, zone) ?? readPlain(text, nowS, zone);
  const { level, log, logTime = nowS, reqId = '', appId, fields } = read;
  const service = settings.service ?? read.service;
  const least = settings.level ?? LEVEL_INFO;
  return {
    level: level ?? (isTrace || read.isTrace ? Math.min(least, LEVEL_ERROR) : least),
    log,
    log_time: logTime,
    ...(reqId === '' ? {} : { req_id: reqId }),
    ...(appId === undefined ? {} : { app_id: appId }),
    ...(service === undefined ? {} : { service }),
    ...(fields === undefined ? {} : { fields }),
  };
}
