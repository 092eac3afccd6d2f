// Joins lines into entries: a stack trace is one entry, by the server's rules for syslog (decision 010).
import {
  cleanText,
  decodeText,
  isJsonLine,
  MAX_LINE_BYTES,
  readNginxHead,
  Trace,
  withoutColours,
  withTab,
} from '@quarterdeck/core/lines';
import type { RawLine } from './line-splitter.ts';

/** One line, or the lines of one stack trace. */
export interface Entry {
  /** Cleaned text, cut at the maximum length. Never blank. */
  readonly text: string;
  /** The entry is a stack trace, so it is an error unless it names another level. */
  readonly isTrace: boolean;
  /** As in {@link RawLine}. */
  readonly end: number;
  readonly tail: Buffer;
  /** As in {@link RawLine}, of its first line. */
  readonly timeS?: number;
  /** As in {@link RawLine}, of its first line. */
  readonly stream?: string;
  /** As in {@link RawLine}, of its last line. */
  readonly isBound?: boolean;
}

interface Held {
  parts: string[];
  length: number;
  lost: number;
  trace: Trace;
  end: number;
  tail: Buffer;
  timeS: number | undefined;
  stream: string | undefined;
  isBound: boolean;
}

const LINES_MAX = 256;
const BYTE_ORDER_MARK = 0xfeff;

function begin(text: string, { lost, end, tail, timeS, stream, isBound = false }: RawLine, trace: Trace): Held {
  return { parts: [text], length: text.length, lost, trace, end, tail, timeS, stream, isBound };
}

const finish = ({ parts, lost, trace, end, tail, timeS, stream, isBound }: Held): Entry => ({
  text: cleanText(parts.join('\n').trimEnd(), undefined, lost),
  isTrace: trace.isTrace,
  end,
  tail,
  ...(timeS === undefined ? {} : { timeS }),
  ...(stream === undefined ? {} : { stream }),
  ...(isBound ? { isBound } : {}),
});

/** Joins the lines of one file. A line is held until the next one shows whether it continues. */
export class EntryJoiner {
  #held: Held | undefined;

  /** True while a line is held. */
  get isHolding(): boolean {
    return this.#held !== undefined;
  }

  /** Adds a line and returns the entry that it completes, if any. */
  add(line: RawLine): Entry | undefined {
    const decoded = decodeText(line.bytes);
    const text = withoutColours(decoded.charCodeAt(0) === BYTE_ORDER_MARK ? decoded.slice(1) : decoded);
    const held = this.#held;
    const isBlank = text.trim() === '';
    const head = isBlank ? undefined : readNginxHead(text);
    const isBeginning = head !== undefined || isJsonLine(text);
    const isContinuation =
      held !== undefined && held.stream === line.stream && !isBeginning && (isBlank || held.trace.add(text.trimEnd()));
    if (isContinuation && held.parts.length < LINES_MAX) {
      extend(held, isBlank ? '' : withTab(text), line);
      return undefined;
    }
    if (isBlank) this.#held = undefined;
    else
      this.#held = begin(text, line, isContinuation ? held.trace : new Trace(text.slice(head?.start ?? 0).trimEnd()));
    return held === undefined ? undefined : finish(held);
  }

  /** Returns the held entry as it is. */
  flush(): Entry | undefined {
    const held = this.#held;
    this.#held = undefined;
    return held === undefined ? undefined : finish(held);
  }
}

function extend(held: Held, text: string, { lost, end, tail, isBound = false }: RawLine): void {
  if (held.length + text.length < MAX_LINE_BYTES) {
    held.parts.push(text);
    held.length += text.length + 1;
    held.lost += lost;
  } else held.lost += Buffer.byteLength(text) + 1 + lost;
  held.end = end;
  held.tail = tail;
  held.isBound = isBound;
}
