// Joins lines into entries: a stack trace is one entry, by the server's rules for syslog (decision 010).
import {
  beginTrace,
  cleanText,
  continueTrace,
  decodeText,
  MAX_LINE_BYTES,
  readNginxHead,
  type TraceState,
  withTab,
} from '@quarterdeck/core/lines';
import type { RawLine } from './line-splitter.ts';

/** One line, or the lines of one stack trace. */
export interface Entry {
  /** Cleaned text, cut at the maximum length. Never blank. */
  readonly text: string;
  /** As in {@link RawLine}. */
  readonly end: number;
  readonly tail: Buffer;
}

interface Held {
  parts: string[];
  length: number;
  lost: number;
  state: TraceState;
  end: number;
  tail: Buffer;
}

const LINES_MAX = 256;

const isJson = (text: string): boolean => text.startsWith('{') && text.endsWith('}');

function begin(text: string, { lost, end, tail }: RawLine): Held {
  const message = text.slice(readNginxHead(text)?.start ?? 0);
  // A JSON line contains its stack trace, so no line continues it.
  const state = isJson(text) ? 'over' : beginTrace(message, '');
  return { parts: [text], length: text.length, lost, state, end, tail };
}

const finish = ({ parts, lost, end, tail }: Held): Entry => ({
  text: cleanText(parts.join('\n').trimEnd(), undefined, lost),
  end,
  tail,
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
    const text = decodeText(line.bytes).replace(/^\uFEFF/, '');
    const held = this.#held;
    const isBlank = text.trim() === '';
    if (held !== undefined && this.#goesOn(held, text, isBlank, line)) return undefined;
    this.#held = isBlank ? undefined : begin(text, line);
    return held === undefined ? undefined : finish(held);
  }

  /** Returns the held entry as it is. */
  flush(): Entry | undefined {
    const held = this.#held;
    this.#held = undefined;
    return held === undefined ? undefined : finish(held);
  }

  #goesOn(held: Held, text: string, isBlank: boolean, { lost, end, tail }: RawLine): boolean {
    if (held.parts.length >= LINES_MAX) return false;
    if (!isBlank) {
      const isBeginning = readNginxHead(text) !== undefined || isJson(text);
      const state = isBeginning ? undefined : continueTrace(held.state, text);
      if (state === undefined) return false;
      held.state = state;
    }
    if (held.length + text.length < MAX_LINE_BYTES) {
      held.parts.push(isBlank ? '' : withTab(text));
      held.length += text.length + 1;
      held.lost += lost;
    } else held.lost += Buffer.byteLength(text) + 1 + lost;
    held.end = end;
    held.tail = tail;
    return true;
  }
}
