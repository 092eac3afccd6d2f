// Makes the same error look the same: what differs from one occurrence to the next becomes a placeholder, and the rest
// is hashed. One pass over the characters, linear for any input.
import { keyOf } from './form-hash.ts';
import { FormScan } from './form-scan.ts';
import { findTrace, type Trace } from './stack-trace.ts';
import { lineFrom } from './text-lines.ts';

/**
 * Part of every fingerprint: the rule that made it. Another rule needs another version, so that groups of two rules are
 * never mixed. A group of a rule that is no longer used keeps its count and its occurrences, gets no new ones, and goes
 * when retention takes it; the next line of its kind opens a group of the present rule.
 */
const TEXT_VERSION = '1';
/** Stack traces and what FastCGI programs say. Version 1 took the first two lines of those. */
const TRACE_VERSION = '2';

/**
 * The key of a group: the version and 22 characters, 128 bits of SHA-256 over the normal form in base64url.
 * Equal for texts with an equal {@link normalForm} of the same version.
 */
export function fingerprint(log: string): string {
  const scan = new FormScan(log);
  const version = write(scan, log);
  return keyOf(version, scan.units, scan.length);
}

/**
 * The text without what is volatile in it, at most about 1,300 characters.
 *
 * - Numbers, hexadecimal runs, durations, dates and times become `<num>`; UUIDs `<id>`; addresses with their ports
 *   `<ip>`; e-mail addresses `<mail>`; the inside of quotes `<str>`; a query string is cut off.
 * - What names the error stays: the number of a system error in `(111: Connection refused)` and a short number behind
 *   `signal`, `code`, `status` or `errno`.
 * - Of nginx's context (`, client: ..., server: ..., request: ...`) only the server stays, so that the same error is one
 *   group for all clients and paths, but one for each site. Of `FastCGI sent in stderr: "..."` the first line that the
 *   program has said stays.
 * - Of JSON and of `key="value"` the keys stay, and the values that carry the message.
 * - The first two lines that are not blank count.
 * - Of a stack trace (Node.js, Java, Python, Go, Lua, PHP, Linux) count the line that names the error, Java's last
 *   `Caused by`, and the three frames nearest to the error that are the program's own code (where none is: the three
 *   nearest ones), with function and file but without line numbers. A line above it that was logged with it does not.
 *
 * The normal form of a normal form is itself, unless it is that of a stack trace.
 */
export function normalForm(log: string): string {
  const scan = new FormScan(log);
  write(scan, log);
  return scan.toString();
}

/** Whether a text has a stack trace that {@link normalForm} understands. */
export function hasTrace(log: string): boolean {
  const first = lineFrom(log, 0);
  return first !== undefined && findTrace(log, first) !== undefined;
}

/** Writes the form; returns the version of the rule. */
function write(scan: FormScan, log: string): string {
  const first = lineFrom(log, 0);
  if (first === undefined) return TEXT_VERSION;
  if (first.to < log.length) {
    const trace = findTrace(log, first);
    if (trace !== undefined) return writeTrace(scan, trace);
  }
  if (scan.fastcgi(first.from)) return TRACE_VERSION;
  const end = scan.line(first.from, first.to, true);
  // A first line that has swallowed others, see `brokenPathEnd`, is all there is to say.
  if (end > first.to || end >= log.length) return TEXT_VERSION;
  const second = lineFrom(log, end);
  if (second !== undefined) scan.line(second.from, second.to, false);
  return TEXT_VERSION;
}

function writeTrace(scan: FormScan, { heads, frames, context }: Trace): string {
  for (const { from, to } of heads) scan.line(from, to, false);
  for (const [name, file] of frames) {
    if (name !== undefined) scan.line(name.from, name.to, false);
    if (file !== undefined) scan.more(file.from, file.to);
  }
  if (context >= 0) scan.context(context);
  return TRACE_VERSION;
}
