// Finds the essential parts of a stack trace: the line that names the error, and the frames nearest to it. Returns
// only positions in the text; the scan replaces their volatile parts.

import { type Frame, find, framesOf, TRACE_LINES, TRACEBACK } from './stack-frames.ts';
import { headOf } from './stack-heads.ts';
import { isFlush, lineFrom, type Span } from './text-lines.ts';

/** The parts of a stack trace that count. */
export interface Trace {
  /** The line that names the error; with causes also the last of them. */
  readonly heads: readonly Span[];
  /** At most {@link FRAMES}, each as one or two parts: the function, and the file if that is apart. */
  readonly frames: readonly (readonly Span[])[];
  /** Index of nginx's `, client: ` behind the trace, or -1. */
  readonly context: number;
}

/** Frames that distinguish errors: fewer mix callers of one helper, more split recursion and retries. */
const FRAMES = 3;

/** Returns the stack trace in a text whose first line is `first`; undefined without one. */
export function findTrace(text: string, first: Span): Trace | undefined {
  if (first.to >= text.length) return undefined;
  const start = lastTraceback(text, first);
  if (start >= 0) return groupTrace(text, start) ?? pythonTrace(text, start);
  const lines = linesFrom(text, first.from);
  return rustPanic(text, lines) ?? callTrace(text, lines);
}

function linesFrom(text: string, at: number): Span[] {
  const lines: Span[] = [];
  for (let line = lineFrom(text, at); line !== undefined && lines.length < TRACE_LINES; ) {
    lines.push(line);
    line = lineFrom(text, line.to);
  }
  return lines;
}

function callTrace(text: string, lines: readonly Span[]): Trace | undefined {
  const found = framesOf(text, lines);
  if (found === undefined) return undefined;
  const cause = found.kind === 'calls' ? innermostCause(text) : undefined;
  const causeFrames = (cause && framesOf(text, linesFrom(text, cause.from))?.frames) ?? [];
  const heads = [headOf(text, lines, found)];
  if (cause !== undefined) heads.push(cause);
  return {
    heads,
    frames: nearest([causeFrames, found.frames]),
    context: text.indexOf(', client: ', lines[0]?.to),
  };
}

/** Returns the nearest frames of the program's own code, from the first list that has some, or else any frames. */
function nearest(lists: readonly (readonly Frame[])[]): Trace['frames'] {
  const own = lists.map((frames) => frames.filter((frame) => !frame.isLibrary)).find((frames) => frames.length > 0);
  const frames = own ?? lists.find((list) => list.length > 0) ?? [];
  return frames.slice(0, FRAMES).map(({ parts }) => parts);
}

/** Returns the line of the last cause, which is the innermost one, in the form of Java or of Node.js. */
function innermostCause(text: string): Span | undefined {
  const at = Math.max(text.lastIndexOf('Caused by: '), text.lastIndexOf('[cause]: '));
  const newline = at < 0 ? -1 : text.lastIndexOf('\n', at);
  const line = newline < 0 ? undefined : lineFrom(text, newline);
  return line?.from === at ? line : undefined;
}

/** Returns the traceback that was raised last: earlier ones are its causes. */
function lastTraceback(text: string, first: Span): number {
  const at = text.lastIndexOf(TRACEBACK);
  return at >= first.from && (at === first.from || at > first.to || isGroup(text, at)) ? at : -1;
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
  return { heads: error === undefined ? [title] : [title, error], frames: recent(text, lines), context: -1 };
}

function recent(text: string, lines: readonly Span[]): Trace['frames'] {
  return nearest([framesOf(text, lines)?.frames.toReversed() ?? []]);
}

const GROUP = `Exception Group ${TRACEBACK}`;

function isGroup(text: string, tracebackAt: number): boolean {
  return text.startsWith(GROUP, tracebackAt - GROUP.length + TRACEBACK.length);
}

/**
 * Reads a group of Python exceptions, whose lines begin with `|`: the error of the group, its frames, and the error of
 * the first exception in it. Returns undefined if the last traceback, at `last`, is not of a group.
 */
function groupTrace(text: string, last: number): Trace | undefined {
  const start = text.indexOf(GROUP);
  if (start < 0 || start > last || text.charCodeAt(last - 1) === 0x0a) return undefined;
  const frames: Span[] = [];
  const errors: Span[] = [];
  let inner = false;
  for (const line of linesFrom(text, start + GROUP.length + 1)) {
    const { from, to } = line;
    const content = lineFrom(text, from + 1);
    if (text.startsWith('+-', from)) inner = true;
    else if (content === undefined || content.from >= to || find(text, TRACEBACK, from, to) >= 0) continue;
    else if (content.from === from + 2 && errors.length === Number(inner)) errors.push(content);
    else if (!inner) frames.push(content);
  }
  const title = { from: start, to: start + GROUP.length };
  return { heads: [title, ...errors], frames: recent(text, frames), context: -1 };
}

const THREAD = "thread '";
const PANIC = ' panicked at ';
/** Lines behind a panic that say nothing about it. */
const BEHIND_PANIC = ['note: ', 'stack backtrace:'];

/**
 * Reads a panic in Rust: its line has the place, and the next one the message. The thread does not count, nor do the
 * frames, since most programs print them on request only.
 */
function rustPanic(text: string, lines: readonly Span[]): Trace | undefined {
  const index = lines.findIndex(({ from, to }) => text.startsWith(THREAD, from) && find(text, PANIC, from, to) > 0);
  const panic = lines[index];
  const message = lines[index + 1];
  if (panic === undefined) return undefined;
  const heads = [{ from: find(text, PANIC, panic.from, panic.to) + 1, to: panic.to }];
  if (message !== undefined && !BEHIND_PANIC.some((words) => text.startsWith(words, message.from))) heads.push(message);
  return { heads, frames: [], context: -1 };
}
