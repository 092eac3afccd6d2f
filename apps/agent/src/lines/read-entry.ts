// Converts an entry of a log file to a line of the server's intake. Never throws: an unknown form is plain text.
import { LEVEL_ERROR, LEVELS } from '@quarterdeck/core';
import { readTextEntry, timeZoneOf } from '@quarterdeck/core/lines';
import type { LineSettings } from '../settings/followed-files.ts';
import type { WireLine } from './wire-line.ts';

const LEVEL_INFO = LEVELS.indexOf('INFO');

/** Parses an entry: nginx's form, a JSON object, or plain text. `nowS` (Unix seconds) replaces a missing time. */
export function readEntry(text: string, nowS: number, settings: LineSettings = {}, isTrace = false): WireLine {
  const zone = settings.zone === undefined ? undefined : timeZoneOf(settings.zone);
  const read = readTextEntry(text, nowS, zone);
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
