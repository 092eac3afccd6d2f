// Files in UTF-16, which programs of Windows write. The mark at the beginning of a file tells. The low byte comes
// first; files with the high byte first cannot be read, because their lines do not begin behind a line feed.
import type { RawLine } from './line-splitter.ts';

const LOW_FIRST = Buffer.from([0xff, 0xfe]);
const HIGH_FIRST = Buffer.from([0xfe, 0xff]);
const MARK_BYTES = 2;

/** Reports whether a file with these first bytes is in UTF-16. */
export const isUtf16 = (head: Buffer): boolean => head.subarray(0, MARK_BYTES).equals(LOW_FIRST);

/** Reports whether a file with these first bytes is in a UTF-16 that cannot be read. */
export const isUnreadableUtf16 = (head: Buffer): boolean => head.subarray(0, MARK_BYTES).equals(HIGH_FIRST);

/** Converts a line to UTF-8. The second byte of the line feed before it is not in the line: it is NUL. */
export function fromUtf16(line: RawLine): RawLine {
  const text = line.bytes.toString('utf16le').replace(/\r$/, '');
  return { ...line, bytes: Buffer.from(text) };
}
