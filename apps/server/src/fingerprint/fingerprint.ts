// Fingerprints: replaces the parts of an error that differ from one occurrence to the next by placeholders, and
// hashes the rest. One pass over the characters, linear for any input.
import { keyOf } from './form-hash.ts';
import { FormScan } from './form-scan.ts';
import { findTrace, type Trace } from './stack-trace.ts';
import { lineFrom } from './text-lines.ts';

/**
 * Version of the rule, a part of every fingerprint. Another rule needs another version, so that groups of two rules
 * are never mixed. A group of an earlier rule keeps its count and occurrences and gets no new ones. Retention removes
 * it; the next line of its kind opens a group of the current rule.
 */
const TEXT_VERSION = '1';
/** Version 2: stack traces and output of FastCGI programs. Version 1 took their first two lines. */
const TRACE_VERSION = '2';

/**
 * Returns the key of a group: the version and 22 characters, 128 bits of SHA-256 over the normal form and the service
 * in base64url. Equal for texts of one service with an equal {@link normalForm} of the same version.
 */
export function fingerprint(log: string, service = ''): string {
  const scan = new FormScan(log);
  const version = write(scan, log);
  return keyOf(version, scan.units, scan.length, service);
}

/**
 * Returns the text without its volatile parts, at most about 1,300 characters.
 *
 * - Numbers, hexadecimal runs, durations, dates and times become `<num>`; UUIDs `<id>`; addresses with their ports
 *   `<ip>`; e-mail addresses `<mail>`; the inside of quotes `<str>`; a query string is cut off.
 * - Names of the error stay: the number of a system error in `(111: Connection refused)`, and a short number behind
 *   `signal`, `code`, `status` or `errno`.
 * - Of nginx's context (`, client: ..., server: ..., request: ...`) only the server stays: the same error is one
 *   group for all clients and paths, but one for each site. Of `FastCGI sent in stderr: "..."` the first line of the
 *   program's output stays.
 * - Of JSON and of `key="value"` the keys stay, and the values that carry the message.
 * - The first two lines that are not blank count.
 * - Of a stack trace (Node.js, Java, Python, Go, Lua, PHP, Linux) these lines count, with function and file but
 *   without line numbers: the one that names the error, Java's last `Caused by`, and the three frames nearest to the
 *   error in the program's own code (without such frames, the three nearest ones). A line logged above it does not
 *   count.
 *
 * The normal form of a normal form is itself, unless it is that of a stack trace.
 */
export function normalForm(log: string): string {
  const scan = new FormScan(log);
  write(scan, log);
  return scan.toString();
}

/** Tells whether a text has a stack trace that {@link normalForm} understands. */
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
  // A first line that contains others, see `brokenPathEnd`, is the whole form.
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
