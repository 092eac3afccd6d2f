// Reads the text that nginx and OpenResty write around a message: `1234#0: *5 ... , client: ..., server: ..., request:
// ...`.
import { FieldSet } from './line-fields.ts';
import type { LineFields } from './log-line.ts';
import { nginxContextAt, partAt } from './nginx-context.ts';

const TRACEBACK = 'stack traceback:';

/** Names of nginx -> names of stored fields. Other names stay unchanged. */
const NAMES = new Map([['req_id', 'request_id']]);

/**
 * Extracts the fields of a line: `pid`, `tid` and `connection` from the head, which ends at `start`, and the context.
 * The context holds `client`, `server`, `request`, `subrequest`, `upstream`, `host`, `referrer` and `request_id`.
 * Modules add fields in the same form, and Lua adds a `traceback`.
 *
 * nginx escapes nothing. A value ends only at a quote before the next name or the end of the line, so a quote inside
 * does not end it. A client that writes `", host: "x` into its request can still forge the fields after it. The fields
 * before it are those of nginx, see {@link nginxContextAt}.
 */
export function nginxFields(text: string, headAt: number, start: number): LineFields | undefined {
  const fields = new FieldSet();
  readIds(fields, text, headAt, start);
  const context = nginxContextAt(text, start);
  const traceback = text.indexOf(TRACEBACK, start);
  if (traceback >= 0) {
    fields.add('traceback', text.slice(traceback + TRACEBACK.length, context > traceback ? context : undefined).trim());
  }
  for (let at = context; at >= 0 && at < text.length; ) at = readPart(fields, text, at + 2);
  return fields.take();
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39;

function digitsEnd(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

/** `] 1234#5678: *9 `. */
function readIds(fields: FieldSet, text: string, headAt: number, start: number): void {
  const bracket = text.indexOf('] ', headAt);
  if (bracket < 0 || bracket >= start) return;
  const pidEnd = digitsEnd(text, bracket + 2);
  if (text.charCodeAt(pidEnd) !== 0x23 || pidEnd >= start) return;
  const tidEnd = digitsEnd(text, pidEnd + 1);
  const pid = text.slice(bracket + 2, pidEnd);
  const tid = text.slice(pidEnd + 1, tidEnd);
  fields.add('pid', pid);
  if (tid !== pid && tid !== '0') fields.add('tid', tid);
  if (text.charCodeAt(tidEnd + 2) === 0x2a && tidEnd + 3 < start) {
    fields.add('connection', text.slice(tidEnd + 3, digitsEnd(text, tidEnd + 3)));
  }
}

/** Reads `name: value` at `at`; returns the position of the comma before the next one, or the end of the text. */
function readPart(fields: FieldSet, text: string, at: number): number {
  const part = partAt(text, at);
  if (part === undefined) return text.length;
  fields.add(NAMES.get(part.name) ?? part.name, text.slice(part.from, part.to).trimEnd());
  return part.next;
}
