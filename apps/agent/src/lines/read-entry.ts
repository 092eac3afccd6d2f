// Converts an entry of a log file to a line of the server's intake. Never throws: an unknown form is plain text.
import { LEVEL_ERROR, LEVELS } from '@quarterdeck/core';
import {
  FieldSet,
  type JsonEntry,
  type LogLine,
  localOffsetMinutes,
  parseNginxMessage,
  readJson,
} from '@quarterdeck/core/lines';
import type { LineSettings } from '../followed-files.ts';
import { readPlain } from './plain-entry.ts';
import type { WireLine } from './wire-line.ts';

const LEVEL_INFO = LEVELS.indexOf('INFO');

/** Content of an entry. An absent value is one that it does not have. */
type Read = Pick<LogLine, 'log'> & Partial<LogLine & Pick<JsonEntry, 'isTrace'>>;

function readNginx(text: string, nowS: number): Read | undefined {
  const line = parseNginxMessage(text, nowS, localOffsetMinutes(text));
  if (line === null) return undefined;
  const { level, log, logTime, reqId } = line;
  return { level, log, logTime, reqId };
}

function readObject(text: string, nowS: number): Read | undefined {
  const set = new FieldSet();
  const entry = readJson(text, nowS, set);
  const fields = set.takeWithLost();
  return entry === undefined || fields === undefined ? entry : { ...entry, fields };
}

/** Parses an entry: nginx's form, a JSON object, or plain text. `nowS` (Unix seconds) replaces a missing time. */
export function readEntry(text: string, nowS: number, settings: LineSettings = {}, isTrace = false): WireLine {
  const read: Read = readNginx(text, nowS) ?? readObject(text, nowS) ?? readPlain(text, nowS);
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
