// Reads envelopes of Sentry: a line of JSON, then items, each a line of JSON and a payload of any bytes.
import { decodeText } from '@quarterdeck/core/lines';
import { AppError } from '@quarterdeck/core/plain';
import { asObject, type Json } from '../http/otlp-value.ts';

/** An item of an envelope. */
export interface Item {
  readonly type: string;
  readonly payload: Uint8Array;
}

export interface Envelope {
  readonly header: Json;
  readonly items: readonly Item[];
}

const LF = 0x0a;
/** Most items of one envelope. SDKs send a few. */
const MAX_ITEMS = 1_000;
/** Most bytes of a line of JSON before a payload. */
const MAX_HEADER = 65_536;

/**
 * Reads an envelope. A payload has the length that its item states, otherwise it ends with its line.
 *
 * @throws AppError `bad_request` for bytes that are no envelope, `too_large` for too many items
 */
export function readEnvelope(bytes: Uint8Array): Envelope {
  const first = lineEnd(bytes, 0);
  const header = readHeader(bytes.subarray(0, first));
  if (header === undefined) throw noEnvelope('Its first line is not a JSON object.');
  const items: Item[] = [];
  for (let at = nextItem(bytes, first); at < bytes.length; ) {
    if (items.length >= MAX_ITEMS) {
      throw new AppError('too_large', { message: `An envelope may hold at most ${MAX_ITEMS} items.` });
    }
    const end = lineEnd(bytes, at);
    const head = readHeader(bytes.subarray(at, end));
    if (head === undefined) throw noEnvelope(`The header of item ${items.length} is not a JSON object.`);
    const from = Math.min(end + 1, bytes.length);
    const to = payloadEnd(bytes, from, head['length']);
    if (to === undefined) throw noEnvelope(`Item ${items.length} is shorter than its length.`);
    items.push({ type: typeof head['type'] === 'string' ? head['type'] : '', payload: bytes.subarray(from, to) });
    at = nextItem(bytes, to);
  }
  return { header, items };
}

/** Reads the DSN in the first line of an envelope of which only the beginning may be there; undefined without one. */
export function dsnOf(start: Uint8Array): string | undefined {
  const dsn = readHeader(start.subarray(0, lineEnd(start, 0)))?.['dsn'];
  return typeof dsn === 'string' ? dsn : undefined;
}

const noEnvelope = (message: string) =>
  new AppError('bad_request', { message: `The body is not an envelope of Sentry. ${message}` });

function lineEnd(bytes: Uint8Array, from: number): number {
  const at = bytes.indexOf(LF, from);
  return at < 0 ? bytes.length : at;
}

/** Returns the index of the next byte that is not a line break. */
function nextItem(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === LF) at += 1;
  return at;
}

function payloadEnd(bytes: Uint8Array, from: number, length: unknown): number | undefined {
  if (length === undefined || length === null) return lineEnd(bytes, from);
  if (typeof length !== 'number' || !Number.isInteger(length) || length < 0) return undefined;
  return from + length <= bytes.length ? from + length : undefined;
}

function readHeader(line: Uint8Array): Json | undefined {
  if (line.length > MAX_HEADER) return undefined;
  try {
    return asObject(JSON.parse(decodeText(line)));
  } catch {
    return undefined;
  }
}
