// Converts an entry of a log file to a line of the server's intake. Never throws: an unknown form is plain text.
import type { ErrlogLine } from '@quarterdeck/core';
import { parseNginxMessage } from '@quarterdeck/core/lines';
import { readJson } from './json-entry.ts';
import { localOffsetMinutes } from './local-time.ts';
import { readPlain } from './plain-entry.ts';

/** A line as the agent sends it. `log_time` is Unix seconds. */
export type WireLine = Required<Pick<ErrlogLine, 'level' | 'log'>> &
  Pick<ErrlogLine, 'app_id'> & { readonly log_time: number; readonly req_id?: string };

function readNginx(text: string, nowS: number): WireLine | undefined {
  const line = parseNginxMessage(text, nowS, localOffsetMinutes(text));
  if (line === null) return undefined;
  const { level, log, logTime, reqId } = line;
  return { level, log, log_time: logTime, ...(reqId === '' ? {} : { req_id: reqId }) };
}

/** Parses an entry: nginx's form, a JSON object, or plain text. `nowS` (Unix seconds) replaces a missing time. */
export const readEntry = (text: string, nowS: number): WireLine =>
  readNginx(text, nowS) ?? readJson(text, nowS) ?? readPlain(text, nowS);
