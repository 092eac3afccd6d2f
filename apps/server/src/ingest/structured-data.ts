// Reads the STRUCTURED-DATA of RFC 5424 6.3: its end and the request id in it. The rest is not stored.

/** `end` is the index of the message after the data. */
export interface StructuredData {
  end: number;
  reqId: string;
}

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const MAX_REQUEST_ID = 128;

/**
 * Reads `-` or `[id name="value" ...]...` at `at`. Inside a value `\"`, `\\` and `\]` are escapes. Unterminated data
 * counts as the message, so that nothing is lost. So does text that follows an element without a space.
 */
export function readStructuredData(text: string, at: number): StructuredData {
  if (text.charCodeAt(at) === 0x2d) return { end: skipSpace(text, at + 1), reqId: '' };
  let reqId = '';
  let next = at;
  while (text.charCodeAt(next) === OPEN) {
    let nameAt = next + 1;
    let inValue = false;
    let end = next + 1;
    for (; end < text.length; end += 1) {
      const code = text.charCodeAt(end);
      if (inValue) {
        if (code === BACKSLASH) end += 1;
        else if (code === QUOTE) inValue = false;
      } else if (code === QUOTE) {
        inValue = true;
        if (isRequestIdName(text, nameAt, end)) reqId = valueAt(text, end + 1);
      } else if (code === SPACE) nameAt = end + 1;
      else if (code === CLOSE) break;
    }
    if (end >= text.length) return { end: at, reqId: '' };
    next = end + 1;
  }
  return { end: skipSpace(text, next), reqId };
}

function isRequestIdName(text: string, from: number, quote: number): boolean {
  const name = text.slice(from, quote);
  return name === 'request_id=' || name === 'req_id=';
}

function valueAt(text: string, from: number): string {
  const end = text.indexOf('"', from);
  return end - from <= MAX_REQUEST_ID ? text.slice(from, end).toWellFormed().replaceAll('\0', '\uFFFD') : '';
}

function skipSpace(text: string, at: number): number {
  return text.charCodeAt(at) === SPACE ? at + 1 : at;
}
