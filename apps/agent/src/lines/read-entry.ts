// Converts an entry of a log file to a line of the server's intake. Never throws: an unknown form is plain text.
import { LEVEL_ERROR, LEVELS } from '@quarterdeck/core';
import { readTextEntry, timeZoneOf } from '@quarterdeck/core/lines';
import type { LineSettings } from '../settings/followed-files.ts';
import type { ReadLine, WireLine } from './wire-line.ts';

const LEVEL_INFO = LEVELS.indexOf('INFO');

/** Parses an entry: nginx's form, a JSON object, or plain text. `nowS` (Unix seconds) replaces a missing time. */
export const readEntry = (text: string, nowS: number, settings: LineSettings = {}, isTrace = false): WireLine =>
  readLine(text, nowS, settings, isTrace).line;

/** The same, with the parts that the form of the entry does not tell. A level of the settings is known. */
export function readLine(text: string, nowS: number, settings: LineSettings = {}, isTrace = false): ReadLine {
  const zone = settings.zone === undefined ? undefined : timeZoneOf(settings.zone);
  const read = readTextEntry(text, nowS, zone);
  const { level, log, logTime, reqId = '', appId, fields } = read;
  const hasTrace = isTrace || read.isTrace === true;
  const service = settings.service ?? read.service;
  const least = settings.level ?? LEVEL_INFO;
  const line: { -readonly [Name in keyof WireLine]: WireLine[Name] } = {
    level: level ?? (hasTrace ? Math.min(least, LEVEL_ERROR) : least),
    log,
    log_time: logTime ?? nowS,
  };
  // One object for each line: spreading the optional parts would make four more.
  if (reqId !== '') line.req_id = reqId;
  if (appId !== undefined) line.app_id = appId;
  if (service !== undefined) line.service = service;
  if (fields !== undefined) line.fields = fields;
  const lacksLevel = level === undefined && settings.level === undefined && !hasTrace;
  return { line, lacksTime: logTime === undefined, lacksLevel };
}
