// Lines of a stack trace that name the error.
import { type Frames, find, LARAVEL_TITLE } from './stack-frames.ts';
import type { Span } from './text-lines.ts';

/** Returns the part that names the error, of the lines of a trace. */
export function headOf(text: string, lines: readonly Span[], { kind, firstAt }: Frames): Span {
  const [first = { from: 0, to: 0 }] = lines;
  const above = lines.slice(0, firstAt);
  switch (kind) {
    case 'calls':
      return exceptionLine(text, above) ?? first;
    case 'ruby':
      return firstAt === 0 ? behindFrame(text, first) : (above.findLast((line) => isRubyError(text, line)) ?? first);
    case 'dart':
      return above.at(-1) ?? first;
    case 'php':
      return withoutContext(text, lines);
    default:
      return behindDashes(text, lines);
  }
}

const CUT_HERE = 'cut here ]---';

/** Returns the first line, unless it is the kernel's dashes. */
function behindDashes(text: string, lines: readonly Span[]): Span {
  const [first, second] = lines as [Span, Span?];
  return second !== undefined && text.slice(first.from, first.to).includes(CUT_HERE) ? second : first;
}

/** Returns the first line; of Laravel without the context in JSON, which says who it was. */
function withoutContext(text: string, lines: readonly Span[]): Span {
  const [first, second] = lines as [Span, Span?];
  if (second === undefined || !text.startsWith(LARAVEL_TITLE, second.from)) return first;
  const at = find(text, ' {"', first.from, first.to);
  return at < 0 ? first : { from: first.from, to: at };
}

/** Returns the message behind a first frame: `cart.rb:7:in `sum': undefined method ... (NoMethodError)`. */
function behindFrame(text: string, line: Span): Span {
  const at = find(text, "': ", line.from, line.to);
  return at < 0 ? line : { from: at + 3, to: line.to };
}

/** `NoMethodError (undefined method ...):` of Rails, and the forms of {@link isException}. */
function isRubyError(text: string, line: Span): boolean {
  const last = text.charCodeAt(line.to - 1) === 0x0d ? line.to - 1 : line.to;
  return text.startsWith('):', last - 2) || isException(text, line);
}

/**
 * Returns the line above the frames that begins with the type of an exception. Without one, as with custom types,
 * returns the first line behind the last blank one: Node.js prints the source first, then a blank line, then the
 * error.
 */
function exceptionLine(text: string, above: readonly Span[]): Span | undefined {
  const named = above.findLast((line) => isException(text, line));
  if (named !== undefined) return named;
  const first = above.findLastIndex(
    (line, i) => i === 0 || text.slice((above[i - 1] ?? line).to, line.from).split('\n').length > 2,
  );
  return above[Math.max(first, 0)];
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
