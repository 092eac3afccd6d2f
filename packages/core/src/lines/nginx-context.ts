// Finds the text that nginx and OpenResty write around a message: `..., client: ..., server: ..., request: ...`.
// Without imports: fingerprints and the front ends use it, too.

const CLIENT = ', client: ';
const QUOTE = 0x22;
const SPACE = 0x20;
const COMMA = 0x2c;
const COLON = 0x3a;
const UNDERSCORE = 0x5f;
const MAX_KEY = 32;

/** Names in the order in which nginx writes them; those of modules follow. */
const ORDER = ['client', 'server', 'request', 'subrequest', 'upstream', 'host', 'referrer'];
const SERVER = ORDER.indexOf('server');
/** Of more beginnings than these, which no program writes, only the last are looked at. */
const MAX_BEGINNINGS = 8;
/** `192.0.2.1, server: `, `unix:, server: `: nginx writes an address, a normal form `<ip>`, and the server always. */
const CLIENT_AND_SERVER = /(?:[0-9a-f:.]{2,45}|unix:|<ip>), server: /y;

/**
 * Finds the start of the context; -1 without any. A visitor may write `, client: 192.0.2.66, server: x` into a text
 * that a module logs before the context. The visitor may also write it into a header, behind the client that nginx
 * wrote. So the first beginning counts that {@link isOwnContext} takes for nginx's. Without such a one it is the first
 * `, client: ` outside of quotes, else the first.
 */
export function nginxContextAt(text: string, start: number): number {
  const first = text.indexOf(CLIENT, start);
  if (first < 0 || text.indexOf(CLIENT, first + 1) < 0) return first;
  const beginnings: number[] = [];
  for (let at = text.lastIndexOf(CLIENT); at >= start && beginnings.length < MAX_BEGINNINGS; ) {
    CLIENT_AND_SERVER.lastIndex = at + CLIENT.length;
    if (CLIENT_AND_SERVER.test(text)) beginnings.unshift(at);
    at = at === 0 ? -1 : text.lastIndexOf(CLIENT, at - 1);
  }
  return beginnings.find((at) => isOwnContext(text, at)) ?? unquotedAt(text, start, first);
}

/**
 * Reports whether the parts from a beginning on are those of nginx, in its order. A context inside a value is the real
 * one, behind a quote that a visitor has left open. Behind a request that is whole anything may follow, and behind
 * other values in quotes too: they end where a visitor writes a quote.
 */
function isOwnContext(text: string, from: number): boolean {
  let last = -1;
  for (let at = from; at < text.length && !isEnd(text, at); ) {
    const part = partAt(text, at + 2);
    const order = part === undefined ? -1 : ORDER.indexOf(part.name);
    if (part === undefined || order <= last) return last > SERVER;
    if (order > SERVER && hasContext(text, part.from, part.to)) return false;
    if (order === SERVER && /["\s]/.test(text.slice(part.from, part.to))) return false;
    if (part.name === 'request') return true;
    last = order;
    at = part.next;
  }
  return true;
}

/** Reports whether a value has a whole beginning of a context in it. */
function hasContext(text: string, from: number, to: number): boolean {
  for (let at = text.indexOf(CLIENT, from); at >= 0 && at < to; at = text.indexOf(CLIENT, at + 1)) {
    CLIENT_AND_SERVER.lastIndex = at + CLIENT.length;
    if (CLIENT_AND_SERVER.test(text) && CLIENT_AND_SERVER.lastIndex <= to) return true;
  }
  return false;
}

function unquotedAt(text: string, start: number, first: number): number {
  let isQuoted = false;
  let counted = start;
  for (let at = first; at >= 0; at = text.indexOf(CLIENT, at + 1)) {
    for (; counted < at; counted += 1) if (text.charCodeAt(counted) === QUOTE) isQuoted = !isQuoted;
    if (!isQuoted) return at;
  }
  return first;
}

/** A part of the context. `next` is the comma before the next part, or the end of the text. */
export interface ContextPart {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly next: number;
}

/** Reads the part `name: value` at a place; undefined where there is none. */
export function partAt(text: string, at: number): ContextPart | undefined {
  const colon = keyEnd(text, at);
  if (colon < 0) return undefined;
  const name = text.slice(at, colon);
  const isQuoted = text.charCodeAt(colon + 2) === QUOTE;
  const from = isQuoted ? colon + 3 : colon + 2;
  for (let end = from; ; end += 1) {
    end = text.indexOf(isQuoted ? '"' : ', ', end);
    const next = isQuoted ? end + 1 : end;
    // A truncated line ends without its quote.
    const isLast = end < 0 || isEnd(text, next);
    if (!isLast && (text.charCodeAt(next) !== COMMA || keyEnd(text, next + 2) < 0)) continue;
    return { name, from, to: end < 0 ? text.length : end, next: isLast ? text.length : next };
  }
}

function isEnd(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return Number.isNaN(code) || code === 0x0a || code === 0x0d;
}

/** Finds the colon of `name: ` at `at`, where a name has lower-case letters and `_`; -1 when there is none. */
function keyEnd(text: string, at: number): number {
  let end = at;
  for (; end - at <= MAX_KEY; end += 1) {
    const code = text.charCodeAt(end);
    if (!(code >= 0x61 && code <= 0x7a) && code !== UNDERSCORE) break;
  }
  const isKey = end > at && text.charCodeAt(end) === COLON && text.charCodeAt(end + 1) === SPACE;
  return isKey ? end : -1;
}
