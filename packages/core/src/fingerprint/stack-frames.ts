// Frames of stack traces in the common forms: one call a line.
import { lineFrom, type Span } from './text-lines.ts';

/** One call. */
export interface Frame {
  /** The function, and its file if that is apart. */
  readonly parts: readonly Span[];
  /** Belongs to the runtime or a package, not to the program's own code. */
  readonly isLibrary: boolean;
}

/** The frames among some lines. */
export interface Frames {
  /** `calls` is `at ...` of Node.js, Java and .NET, under the line with the exception. */
  readonly kind: 'calls' | 'python' | 'ruby' | 'dart' | 'go' | 'lua' | 'kernel' | 'php';
  readonly frames: readonly Frame[];
  /** Index of the first line that is a frame. */
  readonly firstAt: number;
}

/** Without its colon, which could become a part of something else. */
export const TRACEBACK = 'Traceback (most recent call last)';
/** The line above the frames of Laravel. */
export const LARAVEL_TITLE = '[stacktrace]';
/** Most lines in which a trace and its frames are searched for. */
export const TRACE_LINES = 200;

type Kind = Frames['kind'];
type ReadFrame = (text: string, line: Span, before: Span | undefined) => readonly Span[] | undefined;

/** Marks in paths, or before names, of code that is not the program's own. */
const LIBRARY: Readonly<Record<Kind, readonly string[]>> = {
  calls: [
    ...['node:', '/node_modules/', 'internal/', '(<anonymous>)', 'at <anonymous>', 'Promise.all (index', 'native code'],
    ...['at java.', 'at javax.', 'at jakarta.', 'at jdk.', 'at sun.', 'at com.sun.', 'at kotlin.', 'at scala.'],
    ...['at java.base/', 'at org.springframework.', 'at org.apache.', 'at org.hibernate.', 'at io.netty.', '(Unknown'],
    ...['at com.zaxxer.hikari.', 'at org.postgresql.', 'at com.mysql.', 'at com.fasterxml.', 'at org.eclipse.jetty.'],
    ...['at System.', 'at Microsoft.'],
  ],
  python: ['/site-packages/', '/dist-packages/', '/lib/python', '/lib64/python', '<frozen ', '<string>'],
  ruby: ['/gems/', '/lib/ruby/', '<internal:'],
  dart: ['(dart:', '(package:flutter'],
  go: ['/go/src/', '/pkg/mod/', '/vendor/', '/usr/lib/go'],
  lua: ['[C]', '/resty/', '/lualib/', '=[C]', '(tail call)'],
  kernel: [],
  php: ['/vendor/', '[internal function]', '{main}'],
};

const READERS: Readonly<Record<Kind, ReadFrame>> = {
  calls: readCall,
  python: readPython,
  ruby: readRuby,
  dart: readDart,
  go: readGo,
  lua: readLua,
  kernel: readKernel,
  php: readPhp,
};

/** Lines that announce frames of a kind that has no fixed form. */
const TITLES: readonly (readonly [string, Kind])[] = [
  ['stack traceback:', 'lua'],
  ['Call Trace:', 'kernel'],
  ['Call trace:', 'kernel'],
  ['Stack trace:', 'php'],
  [LARAVEL_TITLE, 'php'],
];

/** Returns the frames among lines, undefined without one. The first frame's form is that of all. */
export function framesOf(text: string, lines: readonly Span[]): Frames | undefined {
  let kind: Kind | undefined;
  let titled: Kind | undefined;
  let firstAt = 0;
  const frames: Frame[] = [];
  for (const [i, line] of lines.entries()) {
    if (kind === undefined) {
      titled ??= titleOf(text, line);
      kind = kindOfFrame(text, line, titled);
      if (kind === undefined) continue;
      firstAt = i;
    }
    const parts = READERS[kind](text, line, lines[i - 1]);
    if (parts === undefined) continue;
    const isLibrary = isIn(text, line, LIBRARY[kind]);
    frames.push({ parts, isLibrary });
  }
  return kind === undefined ? undefined : { kind, frames, firstAt };
}

function titleOf(text: string, line: Span): Kind | undefined {
  for (const [title, kind] of TITLES) {
    if (find(text, title, line.from, line.to) >= 0) return kind;
  }
  return undefined;
}

function kindOfFrame(text: string, line: Span, titled: Kind | undefined): Kind | undefined {
  if (titled !== undefined) return READERS[titled](text, line, undefined) === undefined ? undefined : titled;
  if (readCall(text, line) !== undefined) return 'calls';
  if (readPython(text, line) !== undefined) return 'python';
  if (readRuby(text, line) !== undefined) return 'ruby';
  if (readDart(text, line) !== undefined) return 'dart';
  return isGoPlace(text, line) ? 'go' : undefined;
}

function isIn(text: string, { from, to }: Span, marks: readonly string[]): boolean {
  const line = text.slice(from, to);
  return marks.some((mark) => line.includes(mark));
}

/** Returns the index of `mark` inside a line, or -1. Never reads past the line: that would be quadratic. */
export function find(text: string, mark: string, from: number, to: number): number {
  const at = text.slice(from, to).indexOf(mark);
  return at < 0 ? -1 : from + at;
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39;

/** `at handle (/app/src/a.js:10:5)`, `at /app/src/a.js:10:5`, `at com.example.Shop.order(Shop.java:155)`. */
function readCall(text: string, line: Span): readonly Span[] | undefined {
  if (!text.startsWith('at ', line.from)) return undefined;
  const last = text.charCodeAt(line.to - 1) === 0x0d ? line.to - 2 : line.to - 1;
  const isPlace = isDigit(text.charCodeAt(last)) && find(text, ':', line.from, line.to) > 0;
  return isPlace || find(text, '(', line.from, line.to) > 0
    ? [{ from: line.from, to: callEnd(text, line) }]
    : undefined;
}

/** Marks behind a call: the file of the class that Logback prints, and the fields of an error of Node.js. */
const BEHIND_CALL = [') ~[', ') [', ') {'];

function callEnd(text: string, { from, to }: Span): number {
  if (text.charCodeAt(to - 1) === 0x29) return to;
  for (const mark of BEHIND_CALL) {
    const at = find(text, mark, from, to);
    if (at >= 0) return at + 1;
  }
  return to;
}

/** `File "/app/shop.py", line 5, in order`. */
function readPython(text: string, line: Span): readonly Span[] | undefined {
  if (!text.startsWith('File "', line.from)) return undefined;
  const close = find(text, '", line ', line.from, line.to);
  if (close < 0) return undefined;
  const name = find(text, ', in ', close, line.to);
  const file = { from: line.from + 6, to: close };
  return name < 0 ? [file] : [{ from: name + 5, to: line.to }, file];
}

/** `from /app/cart.rb:30:in `block in total'`, since Ruby 3.4 in straight quotes. */
function readRuby(text: string, line: Span): readonly Span[] | undefined {
  const at = find(text, ':in ', line.from, line.to);
  const quote = text.charCodeAt(at + 4);
  if (at < 0 || !isDigit(text.charCodeAt(at - 1)) || (quote !== 0x60 && quote !== 0x27)) return undefined;
  const close = find(text, "'", at + 5, line.to);
  const to = fileEnd(text, at);
  let from = to;
  while (from > line.from && text.charCodeAt(from - 1) > 0x20) from -= 1;
  return [
    { from: at + 5, to: close < 0 ? line.to : close },
    { from, to },
  ];
}

/** `#0      main.<anonymous closure> (file:///app/main.dart:17:20)`. */
function readDart(text: string, line: Span): readonly Span[] | undefined {
  const isDart = find(text, '.dart:', line.from, line.to) > 0 || find(text, '(dart:', line.from, line.to) > 0;
  return isDart ? readPhp(text, line) : undefined;
}

/** Returns the end of a file before `:12`; `at` is behind the number. */
function fileEnd(text: string, at: number): number {
  let to = at;
  while (isDigit(text.charCodeAt(to - 1))) to -= 1;
  return text.charCodeAt(to - 1) === 0x3a ? to - 1 : to;
}

/** `/app/main.go:12 +0x1d` under `main.order(0x1, ...)`. */
function readGo(text: string, line: Span, before: Span | undefined): readonly Span[] | undefined {
  if (!isGoPlace(text, line) || before === undefined) return undefined;
  const file = { from: line.from, to: find(text, '.go:', line.from, line.to) + 3 };
  if (text.startsWith('created by ', before.from)) return undefined;
  const open = text.lastIndexOf('(', before.to);
  const isCall = open > before.from && text.charCodeAt(before.to - 1) === 0x29;
  const name = { from: before.from, to: isCall ? open : before.to };
  // These two are on top of every panic.
  const isPanic = text.startsWith('panic(', before.from) || text.startsWith('runtime.', before.from);
  return isPanic || text.startsWith('runtime/', before.from) ? undefined : [name, file];
}

function isGoPlace(text: string, line: Span): boolean {
  const at = find(text, '.go:', line.from, line.to);
  return at > 0 && text.charCodeAt(line.from - 1) === 0x09 && isDigit(text.charCodeAt(at + 4));
}

/** `/app/auth.lua:12: in function 'check'`, `[C]: in function 'error'`. */
function readLua(text: string, line: Span): readonly Span[] | undefined {
  const at = find(text, ': in ', line.from, line.to);
  if (at < 0) return undefined;
  const context = find(text, ', client: ', at, line.to);
  const name = { from: at + 5, to: context < 0 ? line.to : context };
  const open = find(text, "'", name.from, name.to);
  const close = open < 0 ? -1 : find(text, "'", open + 1, name.to);
  const inner = close < 0 ? name : { from: open + 1, to: close };
  return [inner, { from: line.from, to: Math.max(line.from, fileEnd(text, at)) }];
}

/** `[   12.345678]  tcp_v4_rcv+0xb2/0xe10`; one with a question mark is only a guess. */
function readKernel(text: string, line: Span): readonly Span[] | undefined {
  const plus = find(text, '+0x', line.from, line.to);
  if (plus < 0) return undefined;
  let from = plus;
  while (from > line.from && text.charCodeAt(from - 1) > 0x20) from -= 1;
  if (text.charCodeAt(from - 2) === 0x3f || from === plus) return undefined;
  return find(text, 'RIP: ', line.from, line.to) < 0 ? [{ from, to: plus }] : undefined;
}

/** `#0 /app/shop.php(12): Shop->order()`. */
function readPhp(text: string, line: Span): readonly Span[] | undefined {
  if (text.charCodeAt(line.from) !== 0x23 || !isDigit(text.charCodeAt(line.from + 1))) return undefined;
  const blank = find(text, ' ', line.from, line.to);
  const rest = blank < 0 ? undefined : lineFrom(text, blank);
  return rest === undefined ? undefined : [{ from: rest.from, to: Math.min(rest.to, line.to) }];
}
