// Converts an entry of a log file to a line of the server's intake. Never throws: an unknown form is plain text.
import { LEVEL_ERROR } from '@quarterdeck/core';
import { localOffsetMinutes, parseNginxMessage, readJson } from '@quarterdeck/core/lines';
import { readPlain } from './plain-entry.ts';
import type { WireLine } from './wire-line.ts';

function readNginx(text: string, nowS: number): WireLine | undefined {
  const line = parseNginxMessage(text, nowS, localOffsetMinutes(text));
  if (line === null) return undefined;
  const { level, log, logTime, reqId } = line;
  return { level, log, log_time: logTime, ...(reqId === '' ? {} : { req_id: reqId }) };
}

function readObject(text: string, nowS: number): WireLine | undefined {
  const entry = readJson(text, nowS);
  if (entry === undefined) return undefined;
  const { level = LEVEL_ERROR, log, logTime = nowS, reqId, appId } = entry;
  return {
    level,
    log,
    log_time: logTime,
    ...(reqId === undefined ? {} : { req_id: reqId }),
    ...(appId === undefined ? {} : { app_id: appId }),
  };
}

/** Parses an entry: nginx's form, a JSON object, or plain text. `nowS` (Unix seconds) replaces a missing time. */
export const readEntry = (text: string, nowS: number): WireLine =>
  readNginx(text, nowS) ?? readObject(text, nowS) ?? readPlain(text, nowS);
