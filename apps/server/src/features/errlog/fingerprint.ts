// Makes the same error look the same: what differs from one occurrence to the next becomes a placeholder, and the rest
// is hashed. One pass over the characters, linear for any input.
import { hash } from 'node:crypto';
import { FormScan } from './fingerprint-scan.ts';
import { BLANK, kindOf } from './fingerprint-tokens.ts';

/** Part of every fingerprint. Another rule needs another version, so that groups of two rules are never mixed. */
const VERSION = '1';
/** Without its colon, which could become a part of something else. */
const TRACEBACK = 'Traceback (most recent call last)';

/**
 * The key of a group: the version and 22 characters, 128 bits of SHA-256 over the normal form in base64url.
 * Equal for texts with an equal {@link normalForm}.
 */
export function fingerprint(log: string): string {
  return VERSION + hash('sha256', normalForm(log), 'base64url').slice(0, 22);
}

/**
 * The text without what is volatile in it, at most about 1,300 characters.
 *
 * - Numbers, hexadecimal runs, durations, dates and times become `<num>`; UUIDs `<id>`; addresses with their ports
 *   `<ip>`; e-mail addresses `<mail>`; the inside of quotes `<str>`; a query string is cut off.
 * - What names the error stays: the number of a system error in `(111: Connection refused)` and a short number behind
 *   `signal`, `code`, `status` or `errno`.
 * - Of nginx's context (`, client: ..., server: ..., request: ...`) only the server stays, so that the same error is one
 *   group for all clients and paths, but one for each site.
 * - Of JSON and of `key="value"` the keys stay, and the values that carry the message.
 * - The first two lines that are not blank count; of a Python traceback the first and the last, which names the error.
 *
 * The normal form of a normal form is itself.
 */
export function normalForm(log: string): string {
  const first = lineFrom(log, 0);
  if (first === undefined) return '';
  const scan = new FormScan(log);
  const isTraceback = log.startsWith(TRACEBACK, first.from);
  const end = scan.line(first.from, first.to, !isTraceback);
  // A first line that has swallowed others, see `brokenPathEnd`, is all there is to say.
  if (end > first.to) return scan.toString();
  const second = isTraceback ? lastLine(log, end) : lineFrom(log, end);
  if (second !== undefined) scan.line(second.from, second.to, false);
  return scan.toString();
}

interface Line {
  from: number;
  to: number;
}

/** The next line with something on it, from `at` on. */
function lineFrom(text: string, at: number): Line | undefined {
  let from = at;
  while (from < text.length && kindOf(text.charCodeAt(from)) === BLANK) from += 1;
  if (from >= text.length) return undefined;
  const newline = text.indexOf('\n', from);
  return { from, to: newline < 0 ? text.length : newline };
}

/** The last line behind `after` with something on it. */
function lastLine(text: string, after: number): Line | undefined {
  let to = text.length;
  while (to > after && kindOf(text.charCodeAt(to - 1)) === BLANK) to -= 1;
  return to > after ? lineFrom(text, Math.max(after, text.lastIndexOf('\n', to - 1))) : undefined;
}
