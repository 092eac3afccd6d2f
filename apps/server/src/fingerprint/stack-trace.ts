// Finds the essential parts of a stack trace: the line that names the error, and the frames nearest to it. Returns
// only positions in the text; the scan replaces their volatile parts.

import { framesOf, TRACE_LINES, TRACEBACK } from './stack-frames.ts';
import { isFlush, lineFrom, type Span } from './text-lines.ts';

/** The parts of a stack trace that count. */
export interface Trace {
  /** The line that names the error; of Java also the last `Caused by`. */
  readonly heads: readonly Span[];
  /** At most {@link FRAMES}, each as one or two parts: the function, and the file if that is apart. */
  readonly frames: readonly (readonly Span[])[];
  /** Index of nginx's `, client: ` behind the trace, or -1. */
  readonly context: number;
}

/** Frames that distinguish errors: fewer mix callers of one helper, more split recursion and retries. */
const FRAMES = 3;
const CAUSE = '\nCaused by: ';

/** Returns the stack trace in a text whose first line is `first`; undefined without one. */
export function findTrace(text: string, first: Span): Trace | undefined {
  if (first.to >= text.length) return undefined;
  const start = lastTraceback(text, first);
  if (start >= 0) return pythonTrace(text, start);
  const lines: Span[] = [];
  for (let line: Span | undefined = first; line !== undefined && lines.length < TRACE_LINES; ) {
    lines.push(line);
    line = lineFrom(text, line.to);
  }
  const found = framesOf(text, lines);
  if (found === undefined) return undefined;
  const own = found.frames.filter((frame) => !frame.isLibrary);
  const frames = (own.length > 0 ? own : found.frames).slice(0, FRAMES).map(({ parts }) => parts);
  const heads = [found.kind === 'calls' ? exceptionLine(text, lines.slice(0, found.firstAt)) : headLine(text, lines)];
  const cause = found.kind === 'calls' ? text.lastIndexOf(CAUSE) : -1;
  const causeLine = cause < 0 ? undefined : lineFrom(text, cause);
  if (causeLine !== undefined) heads.push(causeLine);
  return { heads, frames, context: contextBehind(text, first.to) };
}

/** Returns the traceback that was raised last: earlier ones are its causes. */
function lastTraceback(text: string, first: Span): number {
  const at = text.lastIndexOf(TRACEBACK);
  return at >= first.from && (at === first.from || at > first.to) ? at : -1;
}

/**
 * Reads a Python traceback: the most recent call is last, and behind it, without indent, the line that names the
 * error.
 */
function pythonTrace(text: string, start: number): Trace {
  const title = lineFrom(text, start) ?? { from: start, to: text.length };
  const lines: Span[] = [];
  let error: Span | undefined;
  for (let line = lineFrom(text, title.to); line !== undefined; line = lineFrom(text, line.to)) {
    error = line;
    if (isFlush(text, line)) break;
    lines.push(line);
    if (lines.length > TRACE_LINES) lines.shift();
  }
  const frames = framesOf(text, lines)?.frames.toReversed() ?? [];
  const own = frames.filter((frame) => !frame.isLibrary);
  const parts = (own.length > 0 ? own : frames).slice(0, FRAMES).map((frame) => frame.parts);
  return { heads: error === undefined ? [title] : [title, error], frames: parts, context: -1 };
}

const CUT_HERE = 'cut here ]---';

/** Returns the first line, unless it is the kernel's dashes. */
function headLine(text: string, lines: readonly Span[]): Span {
  const [first, second] = lines as [Span, Span?];
  return second !== undefined && text.slice(first.from, first.to).includes(CUT_HERE) ? second : first;
}

/**
 * Returns the line above the frames that begins with the type of an exception. Without one, as with custom types,
 * returns the first line behind the last blank one: Node.js prints the source first, then a blank line, then the
 * error.
 */
function exceptionLine(text: string, above: readonly Span[]): Span {
  const named = above.findLast((line) => isException(text, line));
  if (named !== undefined) return named;
  const first = above.findLastIndex(
    (line, i) => i === 0 || text.slice((above[i - 1] ?? line).to, line.from).split('\n').length > 2,
  );
  return above[Math.max(first, 0)] ?? { from: 0, to: 0 };
}

const THREAD = 'Exception in thread ';

/** `TypeError: ...`, `java.lang.IllegalStateException`, `Error [ERR_X]: ...`, `Uncaught Error: ...`. */
function isException(text: string, line: Span): boolean {
  if (text.startsWith(THREAD, line.from)) return true;
  const from = text.startsWith('Uncaught ', line.from) ? line.from + 9 : line.from;
  let to = from;
  while (to < line.to && isTypeCode(text.charCodeAt(to))) to += 1;
  const code = text.charCodeAt(to);
  const ends = to === line.to || code === 0x3a || (code === 0x20 && text.charCodeAt(to + 1) === 0x5b);
  if (!ends) return false;
  const type = text.slice(from, to);
  return type.includes('Error') || type.includes('Exception');
}

function isTypeCode(code: number): boolean {
  const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
  return isLetter || (code >= 0x30 && code <= 0x39) || code === 0x2e || code === 0x5f || code === 0x24;
}

function contextBehind(text: string, from: number): number {
  return text.indexOf(', client: ', from);
}
