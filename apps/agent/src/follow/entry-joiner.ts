// Lines into entries: a stack trace is one entry, by the rules the server has for syslog (decision 010).
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
  /** Cleaned, cut where it is too long. Never blank. */
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
  // JSON has its stack trace inside, and nothing behind it.
  const state = isJson(text) ? 'over' : beginTrace(message, '');
  return { parts: [text], length: text.length, lost, state, end, tail };
}

const finish = ({ parts, lost, end, tail }: Held): Entry => ({
  text: cleanText(parts.join('\n').trimEnd(), undefined, lost),
  end,
  tail,
});

/** Joins the lines of one file. A line waits for the one behind it. */
export class EntryJoiner {
  #held: Held | undefined;

  /** Whether a line waits. */
  get isHolding(): boolean {
    return this.#held !== undefined;
  }

  /** The entry that this line shows to be complete. */
  add(line: RawLine): Entry | undefined {
    const text = decodeText(line.bytes).replace(/^\uFEFF/, '');
    const held = this.#held;
    const isBlank = text.trim() === '';
    if (held !== undefined && this.#goesOn(held, text, isBlank, line)) return undefined;
    this.#held = isBlank ? undefined : begin(text, line);
    return held === undefined ? undefined : finish(held);
  }

  /** The entry that waits, as it is. */
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
