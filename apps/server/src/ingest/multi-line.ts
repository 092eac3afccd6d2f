// Puts the lines of a stack trace that arrive one by one together again, so that they are one occurrence.
import {
  beginTrace,
  cleanText,
  continueTrace,
  isIndented,
  MAX_LINE_BYTES,
  type TraceState,
  withTab,
} from '@quarterdeck/core/lines';
import type { SyslogLine } from './syslog-line.ts';

/** Where a finished line goes. */
export type OnLine = (line: SyslogLine, address: string, sender: string) => void;

export interface MultiLineOptions {
  onLine: OnLine;
  /** So long a line waits for one that goes on with it; lines of one trace are written at once. */
  windowMs?: number;
  maxLines?: number;
  /** Senders whose latest line is held; beyond, the one held longest goes. */
  maxHeld?: number;
}

/** A line that may go on. */
interface Held {
  line: SyslogLine;
  address: string;
  sender: string;
  state: TraceState;
  /** The lines, where there is more than one. */
  parts: string[];
  /** Characters kept, and bytes left out behind the limit. */
  length: number;
  lost: number;
  /** In ticks of the timer: when it came, and the latest of its lines. */
  since: number;
  latest: number;
}

/** No trace is held longer than this many windows, even if lines keep coming. */
const MAX_WINDOWS = 20;

/**
 * Joins lines of one program on one sender. Each line waits up to two windows for one that goes on with it; the next
 * line that does not sends it on at once. Lines of nginx are whole when they come and do not wait, unless Lua wrote
 * them. The order within a program stays.
 */
export class MultiLine {
  readonly #onLine: OnLine;
  readonly #windowMs: number;
  readonly #maxLines: number;
  readonly #maxHeld: number;
  readonly #held = new Map<string, Held>();
  #timer: NodeJS.Timeout | undefined;
  #tick = 0;
  #joined = 0;

  constructor(options: MultiLineOptions) {
    this.#onLine = options.onLine;
    this.#windowMs = options.windowMs ?? 100;
    this.#maxLines = options.maxLines ?? 256;
    this.#maxHeld = options.maxHeld ?? 1_000;
  }

  /** How many lines have become part of another one. */
  get joined(): number {
    return this.#joined;
  }

  /** How many lines wait. */
  get size(): number {
    return this.#held.size;
  }

  /** Takes a line that came `times` times in a row. */
  add(line: SyslogLine, address: string, sender: string, times = 1): void {
    for (let left = times; left > 0; left -= 1) {
      const isJoined = this.#addOne(left === 1 ? line : { ...line }, address, sender);
      if (isJoined || left <= 3 || goesOnWithItself(line)) continue;
      // Those between this one and the last, which alone can be gone on with, are one with a count.
      this.#addOne({ ...line, count: left - 2 }, address, sender);
      this.#joined += left - 3;
      left = 2;
    }
  }

  /** True once it has become part of the line before. */
  #addOne(line: SyslogLine, address: string, sender: string): boolean {
    const key = `${address} ${sender} ${line.appName}`;
    const held = this.#held.get(key);
    if (held !== undefined) {
      if (this.#join(held, line)) return true;
      this.#held.delete(key);
      this.#send(held);
    }
    if (isWhole(line) || line.isBlank) {
      this.#onLine(line, address, sender);
      return false;
    }
    for (const [oldest, first] of this.#held) {
      if (this.#held.size < this.#maxHeld) break;
      this.#held.delete(oldest);
      this.#send(first);
    }
    const state = beginTrace(line.log, line.appName);
    const { length } = line.log;
    const parts = [line.log];
    const tick = this.#tick;
    this.#held.set(key, { line, address, sender, state, parts, length, lost: 0, since: tick, latest: tick });
    this.#timer ??= setTimeout(() => this.#sweep(), this.#windowMs);
    return false;
  }

  /** Sends on what waits. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const held of this.#held.values()) this.#send(held);
    this.#held.clear();
  }

  #join(held: Held, { log, level, isBlank }: SyslogLine): boolean {
    if (held.parts.length >= this.#maxLines) return false;
    if (isBlank) return this.#add(held, '');
    // Linux changes its level inside a trace, programs do not.
    if (held.state !== 'kernel' && level !== held.line.level) return false;
    const state = continueTrace(held.state, log);
    if (state === undefined) return false;
    held.state = state;
    return this.#add(held, withTab(log));
  }

  #add(held: Held, text: string): true {
    held.latest = this.#tick;
    this.#joined += 1;
    if (held.length + text.length < MAX_LINE_BYTES) {
      held.parts.push(text);
      held.length += text.length + 1;
    } else held.lost += Buffer.byteLength(text) + 1;
    return true;
  }

  #sweep(): void {
    this.#tick += 1;
    for (const [key, held] of this.#held) {
      if (this.#tick - held.latest < 2 && this.#tick - held.since < MAX_WINDOWS) continue;
      this.#held.delete(key);
      this.#send(held);
    }
    this.#timer = this.#held.size > 0 ? setTimeout(() => this.#sweep(), this.#windowMs) : undefined;
  }

  #send({ line, address, sender, parts, lost }: Held): void {
    if (parts.length > 1 || lost > 0) line.log = cleanText(parts.join('\n').trimEnd(), undefined, lost);
    this.#onLine(line, address, sender);
  }
}

/** Only what has the head of nginx has `pid` and no program that could go on. */
function isWhole(line: SyslogLine): boolean {
  return line.fields?.['pid'] !== undefined && !line.log.startsWith('lua ') && !isIndented(line.log);
}

/** Whether a line that stands first is gone on with by an equal one. */
const goesOnWithItself = ({ log, appName, isBlank }: SyslogLine): boolean =>
  isBlank === true || continueTrace(beginTrace(log, appName), log) !== undefined;
