// Values of one field that nginx writes behind its messages, read from the bytes of a text: a string for each line
// would take longer. Where it is not certain that `nginxFields` reads the same, the line is left to it.

const CLIENT = Buffer.from(', client: ');
const NAME = /^[a-z_]{1,33}$/;
/** Names that `nginxFields` does not take from the text as they are. */
const CHANGED = new Set(['req_id', 'request_id', 'traceback']);
const NAME_MAX = 33;
/** Fields, their lengths and lengths of lines that surely are within the limits of a line. */
const FIELDS_MAX = 24;
export const VALUE_MAX = 1_024;
export const LINE_MAX = 8_192;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const SPACE = 0x20;

/** Tells whether nginx can write a field of this name. */
export const hasContextName = (name: string): boolean => NAME.test(name);

/** The line has no such field. */
const NONE = -1;
/** Only `nginxFields` can tell. */
export const UNSURE = -2;

/** Reads one field of lines. */
export class ContextReader {
  /** End of the value that was read last. */
  valueEnd = 0;
  #bytes: Uint8Array = CLIENT;
  #view: DataView = new DataView(CLIENT.buffer);
  readonly #name: Uint8Array;
  readonly #isChanged: boolean;

  constructor(name: string) {
    this.#name = Buffer.from(name);
    this.#isChanged = CHANGED.has(name);
  }

  /** Finds the value in the line between two places; returns where it begins, {@link UNSURE}, or -1 without any. */
  read(bytes: Uint8Array, start: number, end: number): number {
    if (this.#isChanged || end - start > LINE_MAX) return UNSURE;
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    let at = this.#contextAt(start, end);
    if (at < 0) return NONE;
    // A text of a visitor may have a context of its own.
    if (this.#hasSecond(at + 1, end)) return UNSURE;
    for (let fields = 0; fields < FIELDS_MAX; fields += 1) {
      const name = at + 2;
      const colon = keyEnd(bytes, name, end);
      if (colon < 0) return NONE;
      const isQuoted = colon + 2 < end && bytes[colon + 2] === QUOTE;
      const from = isQuoted ? colon + 3 : colon + 2;
      const to = this.#endOf(from, isQuoted, end);
      // An empty value leaves its name to the next one.
      if (to > from && colon - name === this.#name.length && hasAt(bytes, name, this.#name)) {
        this.valueEnd = to;
        const last = bytes[to - 1] as number;
        return to - from > VALUE_MAX || last <= SPACE || last >= 0x80 ? UNSURE : from;
      }
      at = isQuoted ? to + 1 : to;
      if (at >= end || bytes[at] !== COMMA) return NONE;
    }
    return UNSURE;
  }

  /** Finds the first `, client: ` outside of quotes, else the first one; -1 without any. */
  #contextAt(start: number, end: number): number {
    const bytes = this.#bytes;
    let isQuoted = false;
    let first = -1;
    for (let at = this.#nextSign(start, end); at < end; at = this.#nextSign(at + 1, end)) {
      if (bytes[at] === QUOTE) isQuoted = !isQuoted;
      else if (at + CLIENT.length <= end && hasAt(bytes, at, CLIENT)) {
        if (!isQuoted) return at;
        if (first < 0) first = at;
      }
    }
    return first;
  }

  /** Reports whether a further `, client: ` follows. */
  #hasSecond(start: number, end: number): boolean {
    const bytes = this.#bytes;
    for (let at = this.#nextSign(start, end); at < end; at = this.#nextSign(at + 1, end)) {
      if (bytes[at] === COMMA && bytes[at + 2] === CLIENT[2] && at + CLIENT.length <= end && hasAt(bytes, at, CLIENT)) {
        return true;
      }
    }
    return false;
  }

  /** Finds the end of a value: a comma, or a quote, behind which another name begins or the line ends. */
  #endOf(from: number, isQuoted: boolean, end: number): number {
    const bytes = this.#bytes;
    const mark = isQuoted ? QUOTE : COMMA;
    for (let at = this.#nextSign(from, end); at < end; at = this.#nextSign(at + 1, end)) {
      if (bytes[at] !== mark) continue;
      const next = isQuoted ? at + 1 : at;
      if (isQuoted && (next === end || bytes[next] === 0x0a || bytes[next] === 0x0d)) return at;
      const isSpaced = isQuoted || (next + 1 < end && bytes[next + 1] === SPACE);
      if (isSpaced && bytes[next] === COMMA && keyEnd(bytes, next + 2, end) >= 0) return at;
    }
    return end;
  }

  /** Finds the next quote or comma; `end` without any. */
  #nextSign(from: number, end: number): number {
    let at = from;
    // Four bytes at once: most are no sign.
    while (at + 4 <= end && !hasSign(this.#view.getInt32(at))) at += 4;
    while (at < end && this.#bytes[at] !== QUOTE && this.#bytes[at] !== COMMA) at += 1;
    return at;
  }
}

/** Reports whether one of four bytes is a quote or a comma. */
function hasSign(word: number): boolean {
  const quotes = word ^ 0x22222222;
  const commas = word ^ 0x2c2c2c2c;
  return ((((quotes - 0x01010101) & ~quotes) | ((commas - 0x01010101) & ~commas)) & 0x80808080) !== 0;
}

/** Reports whether some bytes have a text at a place. */
function hasAt(bytes: Uint8Array, at: number, text: Uint8Array): boolean {
  for (let i = 0; i < text.length; i += 1) if (bytes[at + i] !== text[i]) return false;
  return true;
}

/** Finds the colon of `name: ` at a place; -1 when there is none. */
function keyEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  for (; at < end && at - from < NAME_MAX; at += 1) {
    const byte = bytes[at] as number;
    if (!(byte >= 0x61 && byte <= 0x7a) && byte !== 0x5f) break;
  }
  return at > from && at + 1 < end && bytes[at] === COLON && bytes[at + 1] === SPACE ? at : -1;
}
