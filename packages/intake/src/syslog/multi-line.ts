// Joins the lines of a stack trace that arrive one by one, so that the trace is one occurrence.
import { LEVEL_ERROR } from '@quarterdeck/core';
import { cleanText, MAX_LINE_BYTES, Trace, withTab } from '@quarterdeck/core/lines';
import type { SyslogLine } from './syslog-line.ts';

/** Receives a complete line. */
export type OnLine = (line: SyslogLine, address: string, sender: string) => void;

export interface MultiLineOptions {
  onLine: OnLine;
  /** Time for which a line waits for its continuation. Programs write the lines of a trace at once. */
  windowMs?: number;
  maxLines?: number;
  /** Maximum number of held lines; beyond it the oldest is released. */
  maxHeld?: number;
}

/** A line that may have a continuation. */
interface HeldLine {
  line: SyslogLine;
  address: string;
  sender: string;
  trace: Trace;
  /** The texts of its lines so far. */
  parts: string[];
  /** Stored characters, and bytes cut off beyond the limit. */
  length: number;
  lost: number;
  /** Arrival of the first and of the latest line, in ticks of the timer. */
  since: number;
  latest: number;
  /** `clock` of the latest line, see {@link SyslogLine}. */
  clock: number | undefined;
}

/** Maximum seconds between two lines of a trace by their own times: a relay sends lines of a whole day at once. */
const MAX_GAP_S = 2;
/** Maximum windows for which a trace is held, even if lines keep arriving. */
const MAX_WINDOWS = 20;

/**
 * Joins lines of one process of one sender. Each line waits up to two windows for its continuation. Any other line of
 * the process releases it at once. Lines of nginx are complete and do not wait, except those of Lua. The order within a
 * process stays.
 */
export class MultiLine {
  readonly #onLine: OnLine;
  readonly #windowMs: number;
  readonly #maxLines: number;
  readonly #maxHeld: number;
  readonly #held = new Map<string, HeldLine>();
  #timer: NodeJS.Timeout | undefined;
  #tick = 0;
  #joined = 0;

  constructor(options: MultiLineOptions) {
    this.#onLine = options.onLine;
    this.#windowMs = options.windowMs ?? 100;
    this.#maxLines = options.maxLines ?? 256;
    this.#maxHeld = options.maxHeld ?? 1_000;
  }

  /** Number of lines that became part of another one. */
  get joined(): number {
    return this.#joined;
  }

  /** Number of held lines. */
  get size(): number {
    return this.#held.size;
  }

  /** Adds a line that arrived `times` times in a row. */
  add(line: SyslogLine, address: string, sender: string, times = 1): void {
    for (let left = times; left > 0; left -= 1) {
      const isJoined = this.#addOne(left === 1 ? line : { ...line }, address, sender);
      if (isJoined || left <= 3 || continuesItself(line)) continue;
      // Only the last copy can have a continuation. The copies before it become one line with a count.
      this.#addOne({ ...line, count: left - 2 }, address, sender);
      this.#joined += left - 3;
      left = 2;
    }
  }

  /** Returns true if the line became part of the previous one. */
  #addOne(line: SyslogLine, address: string, sender: string): boolean {
    const key = `${address} ${sender} ${line.appName} ${line.pid ?? ''}`;
    const held = this.#held.get(key);
    const isContinuation = held !== undefined && continues(held, line);
    if (held !== undefined) {
      if (isContinuation && held.parts.length < this.#maxLines) {
        this.#join(held, line);
        return true;
      }
      this.#held.delete(key);
      this.#send(held);
    }
    if (line.isComplete || line.isBlank) {
      this.#onLine(line, address, sender);
      return false;
    }
    for (const [oldest, first] of this.#held) {
      if (this.#held.size < this.#maxHeld) break;
      this.#held.delete(oldest);
      this.#send(first);
    }
    const trace = isContinuation ? held.trace : traceOf(line);
    const { log, clock } = line;
    const { length } = log;
    const tick = this.#tick;
    const counts = { length, lost: 0, since: tick, latest: tick, clock };
    this.#held.set(key, { line, address, sender, trace, parts: [log], ...counts });
    this.#timer ??= setTimeout(() => this.#sweep(), this.#windowMs);
    return false;
  }

  /** Releases all held lines. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const held of this.#held.values()) this.#send(held);
    this.#held.clear();
  }

  #join(held: HeldLine, line: SyslogLine): void {
    const text = line.isBlank ? '' : withTab(textBehind(held, line));
    held.latest = this.#tick;
    held.clock = line.clock;
    this.#joined += 1;
    if (held.length + text.length < MAX_LINE_BYTES) {
      held.parts.push(text);
      held.length += text.length + 1;
    } else held.lost += Buffer.byteLength(text) + 1;
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

  #send({ line, address, sender, parts, lost }: HeldLine): void {
    if (parts.length > 1 || lost > 0) line.log = cleanText(parts.join('\n').trimEnd(), undefined, lost);
    this.#onLine(line, address, sender);
  }
}

const traceOf = ({ log, appName, level }: SyslogLine) => new Trace(log, appName, level > LEVEL_ERROR);

/** Text of a further line as its program wrote it: a sender writes a space before each message, or before none. */
function textBehind({ line }: HeldLine, { log, isSpaced }: SyslogLine): string {
  if (!line.isSpaced) return isSpaced && !line.log.startsWith(' ') ? ` ${log}` : log;
  return log.startsWith(' ') ? log.slice(1) : log;
}

function continues(held: HeldLine, next: SyslogLine): boolean {
  const { line, trace, clock = Number.NaN } = held;
  if (next.isComplete || Math.abs((next.clock ?? Number.NaN) - clock) > MAX_GAP_S) return false;
  if (next.isBlank) return true;
  // Linux changes the level inside a trace; programs do not.
  return (next.level === line.level || trace.isOops) && trace.add(textBehind(held, next));
}

/** True if an equal line continues a line that begins a trace. */
const continuesItself = (line: SyslogLine): boolean => line.isBlank === true || traceOf(line).add(line.log);
