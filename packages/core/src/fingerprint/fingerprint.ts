// Fingerprints: replaces the parts of an error that differ from one occurrence to the next by placeholders, and
// hashes the rest. One pass over the characters, linear for any input.
import { keyOf } from './form-hash.ts';
import { FormScan } from './form-scan.ts';
import { findTrace, type Trace } from './stack-trace.ts';
import { lineFrom, type Span } from './text-lines.ts';

// One for all texts: a scan of its own for each would be an eighth of what reading lines allocates.
const scan = new FormScan();

/**
 * Returns the key of a group: a version and 22 characters, 128 bits of SHA-256 over the normal form and the service in
 * base64url. Equal for texts of one service with an equal {@link normalForm}.
 */
export function fingerprint(log: string, service = ''): string {
  write(log);
  return keyOf(scan.units, scan.length, service);
}

/**
 * Returns the text without its volatile parts, at most about 1,300 characters.
 *
 * - Numbers, hexadecimal runs, durations, dates and times become `<num>`; UUIDs `<id>`; addresses with their ports
 *   `<ip>`; e-mail addresses `<mail>`; the inside of quotes `<str>`.
 * - The sign of a number goes, and so does a unit that depends on its size: `5.2 KB`, `850 B`, `1 second`.
 * - A name before a number stays (`worker12`), except a single letter (`A12`). Of an id with several numbers the first
 *   name stays: `attempt_17_m_3` becomes `attempt_<num>`. A list of such names counts once: `node1,node2`.
 * - The number of a type, a digest, an encoding or a protocol stays: `int64`, `sha256`, `UTF-8`, `IPv6`.
 * - Network interfaces (`eth0`) and directions of an axis (`z+`) become `<str>`.
 * - Unquoted absolute paths become `<str>`, unless a number of a line follows: `/srv/a.php:12` names code.
 * - The query of a URL or a path is cut off.
 * - A host name with a port is an address. So is one of three labels or more with a number in it, and one next to its
 *   address: `mail.example.com[192.0.2.1]`. Other host names, and those in URLs, stay: they may be sites.
 * - A size in other words behind a size goes: `18846 bytes (18.4 KB)`.
 * - The name of a node with its port is an address: `mesos-07:31000`. Behind `node`, `host`, `machine` and `name` a
 *   name with a number becomes `<str>`: `node dn228`. Other names stay: `redis:6379` may be the only one.
 * - Names of users become `<str>`: `user=ann`, `invalid user ann from`, `password for ann from`. Values of the keys of
 *   peers and packages, such as `rhost` and `pkg`, too. A name with a dot or a digit
 *   may have blanks around the `=`.
 * - Items that repeat in a row count once, since the length of a list differs: `blk_1 blk_2`.
 * - JSON web tokens become `<id>`; hardware addresses in any form `<ip>`.
 * - Names of the error stay: the number of a system error in `(111: Connection refused)`, codes such as `ORA-00942`,
 *   `error[E0382]`, `LNK2019: ` and `SQLSTATE 42P01`, a short number behind `signal`, `code`, `status`, `errno` or
 *   `HTTP`, the status behind a request, the reply `550 5.1.1`, the method of a quoted request, and the quoted name
 *   behind `[id` and `zone`.
 * - Of nginx's context (`, client: ..., server: ..., request: ...`) only the server stays: the same error is one group
 *   for all clients and paths, but one for each site. Of `FastCGI sent in stderr: "..."` the first line of the
 *   program's output stays.
 * - Of JSON and of `key="value"` the keys stay, and the values that carry the message.
 * - The first two lines that are not blank count.
 * - Of a stack trace (Node.js, Java, .NET, Python, Ruby, Rust, Dart, Go, Lua, PHP, Linux) these lines count, without
 *   numbers of lines: the one that names the error, the innermost `Caused by` or `[cause]`, and three frames. These
 *   are the nearest ones in the program's own code, of the innermost cause if it has some; without own code, the
 *   nearest ones. A line logged above does not count. A panic in Rust has no frames, a group of Python has its first
 *   error.
 *
 * The normal form of a normal form is itself, unless it is that of a stack trace.
 */
export function normalForm(log: string): string {
  write(log);
  return scan.toString();
}

/** Tells whether a text has a stack trace that {@link normalForm} understands. */
export function hasTrace(log: string): boolean {
  const first = lineFrom(log, 0);
  return first !== undefined && findTrace(log, first) !== undefined;
}

/** Writes the normal form of a text to the scan. */
function write(log: string): void {
  scan.begin(log);
  const first = lineFrom(log, 0);
  if (first === undefined) return;
  const trace = first.to < log.length ? findTrace(log, first) : undefined;
  if (trace !== undefined) writeTrace(trace);
  else if (!scan.fastcgi(first.from)) writeLines(log, first);
}

function writeTrace({ heads, frames, context }: Trace): void {
  for (const { from, to } of heads) scan.line(from, to, false);
  for (const parts of frames) scan.frame(parts);
  if (context >= 0) scan.context(context);
}

/** Writes the first two lines. A first line that contains others, see `brokenPathEnd`, is the whole form. */
function writeLines(log: string, first: Span): void {
  const end = scan.line(first.from, first.to, true);
  const second = end > first.to ? undefined : lineFrom(log, end);
  if (second !== undefined) scan.line(second.from, second.to, false);
}
