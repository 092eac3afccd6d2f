// Reads the STRUCTURED-DATA of RFC 5424 6.3.
import type { FieldSet } from '@quarterdeck/core/lines';

/** A parameter of an element. */
export interface DataParam {
  /** Name of the element, such as `origin` or `order@32473`. */
  readonly element: string;
  readonly name: string;
  readonly value: string;
}

/** `end` is the index of the message after the data. */
export interface StructuredData {
  readonly end: number;
  readonly params: readonly DataParam[];
}

const SPACE = 0x20;
const QUOTE = 0x22;
const EQUALS = 0x3d;
const BACKSLASH = 0x5c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const MAX_REQUEST_ID = 128;
const NO_PARAMS: readonly DataParam[] = [];

/**
 * Reads `-` or `[id name="value" ...]...` at `at`. Unterminated data counts as the message, so that nothing is lost. So
 * does text that follows an element without a space.
 */
export function readStructuredData(text: string, at: number): StructuredData {
  if (text.charCodeAt(at) === 0x2d) return { end: skipSpace(text, at + 1), params: NO_PARAMS };
  const params: DataParam[] = [];
  let next = at;
  while (text.charCodeAt(next) === OPEN) {
    const end = readElement(text, next + 1, params);
    if (end < 0) return { end: at, params: NO_PARAMS };
    next = end + 1;
  }
  return { end: skipSpace(text, next), params };
}

/**
 * Reads an element; returns the index of its closing bracket, or -1 without one. Blanks around `=` and values without
 * quotes, which the standard does not allow, are read as they are meant.
 */
function readElement(text: string, from: number, params: DataParam[]): number {
  const idEnd = wordEnd(text, from);
  const element = text.slice(from, idEnd);
  for (let at = idEnd; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === CLOSE) return at;
    if (code === SPACE) {
      at += 1;
      continue;
    }
    const nameEnd = wordEnd(text, at);
    const equals = blanksEnd(text, nameEnd);
    if (text.charCodeAt(equals) !== EQUALS) {
      // A word without a value.
      at = Math.max(nameEnd, at + 1);
      continue;
    }
    const name = text.slice(at, nameEnd);
    const valueAt = blanksEnd(text, equals + 1);
    const isQuoted = text.charCodeAt(valueAt) === QUOTE;
    const end = isQuoted ? valueEnd(text, valueAt + 1) : wordEnd(text, valueAt);
    params.push({ element, name, value: unescaped(text.slice(isQuoted ? valueAt + 1 : valueAt, end)) });
    at = isQuoted ? end + 1 : end;
  }
  return -1;
}

/** Index of the next space, `=`, quote or closing bracket. */
function wordEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === SPACE || code === EQUALS || code === QUOTE || code === CLOSE) return at;
  }
  return text.length;
}

function blanksEnd(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === SPACE) at += 1;
  return at;
}

/** Index of the quote that ends a value. A backslash escapes one. */
function valueEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

const unescaped = (value: string): string => (value.includes('\\') ? value.replace(/\\(["\\\]])/g, '$1') : value);

const isRequestId = ({ name, value }: DataParam): boolean =>
  (name === 'request_id' || name === 'req_id') && value !== '' && value.length <= MAX_REQUEST_ID;

/** Returns the request id among the parameters, or `''`. */
export const requestIdOf = (params: readonly DataParam[]): string =>
  params.findLast(isRequestId)?.value.toWellFormed().replaceAll('\0', '\uFFFD') ?? '';

/** Adds the parameters, except the request id. A name that is taken gets the name of the element as its prefix. */
export function addParams(fields: FieldSet, params: readonly DataParam[]): void {
  for (const param of params) {
    if (isRequestId(param)) continue;
    const { element, name, value } = param;
    fields.add(fields.has(name) ? `${element}.${name}` : name, value);
  }
}

function skipSpace(text: string, at: number): number {
  return text.charCodeAt(at) === SPACE ? at + 1 : at;
}
