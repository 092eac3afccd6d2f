// Converts an entry of a log file to a line of the server's intake. Never throws: an unknown form is plain text.
import { LEVEL_ERROR, LEVELS } from '@quarterdeck/core';
import { type LogLine, localOffsetMinutes, parseNginxMessage, readJson, Trace } from '@quarterdeck/core/lines';
import type { LineSettings } from '../followed-files.ts';
import { readPlain } from './plain-entry.ts';
import type { WireLine } from './wire-line.ts';

const LEVEL_INFO = LEVELS.indexOf('INFO');

/** Content of an entry. An absent value is one that it does not have. */
type Read = Pick<LogLine, 'log'> & Partial<LogLine>;

function readNginx(text: string, nowS: number): Read | undefined {
  const line = parseNginxMessage(text, nowS, localOffsetMinutes(text));
  if (line === null) return undefined;
  const { level, log, logTime, reqId } = line;
  return { level, log, logTime, reqId };
}

/** Reports whether a text, such as the message of a JSON object, has a stack trace. */
function hasTrace(log: string): boolean {
  const [head = '', ...further] = log.split('\n');
  const trace = new Trace(head);
  for (const line of further) trace.add(line);
  return trace.isTrace;
}

/** Parses an entry: nginx's form, a JSON object, or plain text. `nowS` (Unix seconds) replaces a missing time. */
export function readEntry(text: string, nowS: number, settings: LineSettings = {}, isTrace = false): WireLine {
  const read: Read = readNginx(text, nowS) ?? readJson(text, nowS) ?? readPlain(text, nowS);
  const { level, log, logTime = nowS, reqId = '', appId, fields } = read;
  const service = settings.service ?? read.service;
  const least = settings.level ?? LEVEL_INFO;
  return {
    level: level ?? (isTrace || hasTrace(log) ? Math.min(least, LEVEL_ERROR) : least),
    log,
    log_time: logTime,
    ...(reqId === '' ? {} : { req_id: reqId }),
    ...(appId === undefined ? {} : { app_id: appId }),
    ...(service === undefined ? {} : { service }),
    ...(fields === undefined ? {} : { fields }),
  };
}
