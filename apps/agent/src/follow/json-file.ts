// Parses a line that Docker's driver `json-file` has written: a JSON object with text, stream and time. A long line is
// in several objects.
import type { StoredOutput } from './stored-output.ts';

/** Bytes that one object may have: 16 KiB of text, each escaped at worst, and the names around it. */
export const OBJECT_MAX_BYTES = 6 * 16 * 1024 + 4 * 1024;

const BEGINS = Buffer.from('{"log":"');
const STREAM = Buffer.from('"stream":"std');

/**
 * Parses the bytes of a line; undefined for a line of another form. Where the form is not `certain`, the line must have
 * the members in Docker's order.
 */
export function parseJsonFile(bytes: Buffer, certain: boolean): StoredOutput | undefined {
  if (!certain && !(bytes.subarray(0, BEGINS.length).equals(BEGINS) && bytes.includes(STREAM))) return undefined;
  try {
    const { log, stream, time } = JSON.parse(bytes.toString('utf8')) as Readonly<Record<string, unknown>>;
    if (typeof log !== 'string') return undefined;
    const timeMs = Date.parse(String(time));
    const isStored = (stream === 'stdout' || stream === 'stderr') && timeMs >= 0;
    if (!certain && !isStored) return undefined;
    return {
      bytes: Buffer.from(log.replace(/\r?\n$/, '')),
      lost: 0,
      isWhole: log.endsWith('\n'),
      stream: String(stream),
      timeS: timeMs >= 0 ? Math.floor(timeMs / 1000) : undefined,
    };
  } catch {
    return undefined;
  }
}
