// Parses a line of a CRI log: `2026-11-26T20:30:09.669794202Z stderr F text`. `P` instead of `F` marks a piece of a
// line that goes on in the next one of its stream.
import type { StoredOutput } from './stored-output.ts';

const HEAD =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,9})?(Z|[+-]\d\d:\d\d) (stdout|stderr) ([FP])(?::[\w:]{1,32})?(?: |$)/;
/** Longest head: time, zone, stream and tags. */
const HEAD_MAX_BYTES = 96;
/** A head is at least as long as `2026-11-26T20:30:09Z stdout F`. */
const HEAD_MIN_BYTES = 29;
const T_AT = 10;
const T = 0x54;

/** Parses the bytes of a line; undefined for a line of another form. */
export function parseCri(bytes: Buffer): StoredOutput | undefined {
  if (bytes.length < HEAD_MIN_BYTES || bytes[T_AT] !== T) return undefined;
  const found = HEAD.exec(bytes.toString('latin1', 0, HEAD_MAX_BYTES));
  if (found === null) return undefined;
  const [head, seconds, zone, stream = '', tag] = found;
  const timeMs = Date.parse(`${seconds}${zone}`);
  if (!(timeMs >= 0)) return undefined;
  return { bytes: bytes.subarray(head.length), lost: 0, isWhole: tag === 'F', stream, timeS: timeMs / 1000 };
}
