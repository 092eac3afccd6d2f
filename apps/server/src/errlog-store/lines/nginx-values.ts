// Values of one field that nginx writes behind its messages, for a block of texts: a native search for its name. Where
// it is not certain that `nginxFields` reads the same, the line is left to it.
import type { OpenBlock } from '../segments/segment-reader.ts';
import { lineAt } from './search-block.ts';

const CLIENT = ', client: ';
const NAME = /^[a-z_]{1,33}$/;
/** Names under which `nginxFields` stores what has another name in the text. */
const RENAMED = new Set(['request_id', 'traceback']);
const NAME_MAX = 33;
/** Fields that surely are within the limits of a line. */
const FIELDS_MAX = 24;
const VALUE_MAX = 1_024;

/** Tells whether nginx can write a field of this name. */
export const hasContextName = (name: string): boolean => NAME.test(name);

/** Values by line of a block, as places in its bytes: {@link NONE} or {@link UNSURE} instead of the first place. */
export interface ValueSpans {
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/** The line has no such field. */
const NONE = -1;
/** Only `nginxFields` can tell. */
export const UNSURE = -2;

/** Finds the values of a field in a block. */
export function contextValues({ bytes, starts }: OpenBlock, name: string): ValueSpans {
  const lines = starts.length - 1;
  const spans = { from: new Int32Array(lines).fill(RENAMED.has(name) ? UNSURE : NONE), to: new Int32Array(lines) };
  if (RENAMED.has(name)) return spans;
  const context = new ContextReader(bytes.toString('latin1'), name);
  let line = 0;
  for (let at = context.find(0); at >= 0; ) {
    line = lineAt(starts, at, line);
    const end = starts[line + 1] as number;
    spans.from[line] = context.read(starts[line] as number, end, at);
    spans.to[line] = context.valueEnd;
    at = context.find(end);
  }
  return spans;
}

class ContextReader {
  /** End of the value that was read last. */
  valueEnd = 0;
  readonly #text: string;
  readonly #name: string;
  readonly #client: NextIndex;
  readonly #feed: NextIndex;
  readonly #return: NextIndex;

  constructor(text: string, name: string) {
    this.#text = text;
    this.#name = `, ${name}: `;
    this.#client = new NextIndex(text, CLIENT);
    this.#feed = new NextIndex(text, '\n');
    this.#return = new NextIndex(text, '\r');
  }

  /** The next name from a place on; -1 when there is none. */
  find(from: number): number {
    return this.#text.indexOf(this.#name, from);
  }

  /** Finds the value in the line between `start` and `end`, of which `first` is the first name. */
  read(start: number, end: number, first: number): number {
    const context = this.#client.from(start);
    if (context >= end) return NONE;
    if (this.#isQuoted(start, context)) return UNSURE;
    const at = first >= context ? first : this.find(context);
    if (at < 0 || at >= end) return NONE;
    if (!this.#isName(context, at)) return UNSURE;
    const named = at + this.#name.length;
    const from = named < end && this.#text[named] === '"' ? named + 1 : named;
    this.valueEnd = this.#endOf(from, from > named, end);
    const last = this.#text.charCodeAt(this.valueEnd - 1);
    const length = this.valueEnd - from;
    // An empty value leaves its name to the next one, and a long one is cut.
    return length === 0 || length > VALUE_MAX || last <= 0x20 || last >= 0x80 ? UNSURE : from;
  }

  /** Reports whether the number of quotes between two places is odd. */
  #isQuoted(from: number, to: number): boolean {
    let isQuoted = false;
    for (let at = this.#text.indexOf('"', from); at >= 0 && at < to; at = this.#text.indexOf('"', at + 1)) {
      isQuoted = !isQuoted;
    }
    return isQuoted;
  }

  /** Reports whether a name in the context surely is one, and no part of a quoted value. */
  #isName(context: number, at: number): boolean {
    if (at === context) return true;
    if (this.#feed.from(context) < at || this.#return.from(context) < at) return false;
    let fields = 0;
    for (let comma = context; comma < at && fields <= FIELDS_MAX; fields += 1) {
      comma = this.#text.indexOf(', ', comma + 1);
    }
    if (fields > FIELDS_MAX) return false;
    const text = this.#text;
    // The quote in front of it ends a value, unless it begins one.
    if (text[at - 1] === '"') return !text.startsWith(': ', at - 3);
    const quote = text.indexOf('"', context);
    return quote < 0 || quote > at;
  }

  #endOf(from: number, isQuoted: boolean, end: number): number {
    const text = this.#text;
    const mark = isQuoted ? '"' : ', ';
    for (let to = text.indexOf(mark, from); ; to = text.indexOf(mark, to + 1)) {
      if (to < 0 || to + mark.length > end) return end;
      const next = isQuoted ? to + 1 : to;
      const isLast = isQuoted && (next === end || text[next] === '\n' || text[next] === '\r');
      if (isLast || (text[next] === ',' && this.#isKey(next + 2, end))) return to;
    }
  }

  /** Reports whether `name: ` is at a place. */
  #isKey(from: number, end: number): boolean {
    const text = this.#text;
    let at = from;
    for (; at - from < NAME_MAX; at += 1) {
      const code = text.charCodeAt(at);
      if (!(code >= 0x61 && code <= 0x7a) && code !== 0x5f) break;
    }
    return at > from && at + 2 <= end && text.startsWith(': ', at);
  }
}

/** Finds a text from rising places on; each search goes on where the last one has found it. */
class NextIndex {
  readonly #text: string;
  readonly #part: string;
  #at = -1;

  constructor(text: string, part: string) {
    this.#text = text;
    this.#part = part;
  }

  /** The first index from a place on; Infinity when there is none. */
  from(place: number): number {
    if (this.#at < place) {
      const at = this.#text.indexOf(this.#part, place);
      this.#at = at < 0 ? Infinity : at;
    }
    return this.#at;
  }
}
