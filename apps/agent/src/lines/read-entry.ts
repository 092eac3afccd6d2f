// Converts an entry of a log file to a line of the server's intake. Never throws: an unknown form is plain text.
import { parseNginxMessage } from '@quarterdeck/core/lines';
import { readJson } from './json-entry.ts';
import { localOffsetMinutes } from './local-time.ts';
import { readPlain } from './plain-entry.ts';
import type { WireLine } from './wire-line.ts';

function readNginx(text: string, nowS: number): WireLine | undefined {
  const line = parseNginxMessage(text, nowS, localOffsetMinutes(text));
  if (line === null) return undefined;
  const { level, log, logTime, reqId } = line;
  return { level, log, log_time: logTime, ...(reqId === '' ? {} : { req_id: reqId }) };
}

/** Parses an entry: nginx's form, a JSON object, or plain text. `nowS` (Unix seconds) replaces a missing time. */
export const readEntry = (text: string, nowS: number): WireLine =>
  readNginx(text, nowS) ?? readJson(text, nowS) ?? readPlain(text, nowS);
