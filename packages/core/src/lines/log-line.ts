// The form of lines that every parser produces, and the cleaning of every text before it is stored.
import { withoutColours } from './colours.ts';

/** Names and values. Any name is allowed, `__proto__` as well. */
export type LineFields = Readonly<Record<string, string>>;

/** One log line as the server stores it. Numbers are integers. */
export interface LogLine {
  /** 0 STDERR to 8 DEBUG, the numbering of nginx (specification 4.5). A syslog severity is `level - 1`. */
  level: number;
  /** Cleaned text, see {@link cleanText}. Never empty. */
  log: string;
  /** Unix seconds. */
  logTime: number;
  /** 0 = none. */
  appId: number;
  /** `''` = none. */
  reqId: string;
  /** Number of occurrences that this line stands for, at least 1. */
  count: number;
  /** Program that wrote the line (OpenTelemetry's `service.name`), cleaned, at most 255 characters; absent = none. */
  service?: string;
  /** Parts of the line beside its message, see `FieldSet`. */
  fields?: LineFields;
  /** It came without a time that can be known: `logTime` is that of its arrival. */
  lacksTime?: true;
  /** It came without a level that can be known. */
  lacksLevel?: true;
  /** The fields are those that `nginxFields` reads in the text, and no others. */
  hasTextFields?: true;
}

/** A line longer than this many bytes of UTF-8 is cut and marked. */
export const MAX_LINE_BYTES = 16_384;

/** Room for ` [cut: N bytes]` with any N a number can hold exactly. */
const MARK_BYTES = 32;
/** Fewest characters of a cut text: each takes at most three bytes. */
const CUT_LENGTH_MIN = Math.floor((MAX_LINE_BYTES - MARK_BYTES) / 3);
const CUT_MARK = / \[cut: \d+ bytes\]$/;
const encoder = new TextEncoder();

/** Decodes UTF-8; invalid bytes become U+FFFD. It reads the given bytes without a copy. */
export function decodeText(raw: Uint8Array): string {
  return Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('utf8');
}

/**
 * Makes any text storable on both databases, without the colours of terminals. U+0000 (which PostgreSQL cannot store)
 * and unpaired surrogates become U+FFFD, and invalid UTF-8 is decoded with replacement. A text over `maxBytes` of UTF-8
 * is cut between two code points and marked ` [cut: N bytes]`. The result with its mark is within `maxBytes`, so
 * cleaning twice changes nothing. Line breaks and other control characters stay; programs that show a text must
 * neutralize them.
 *
 * @param lostBytes bytes that a reader has dropped before, counted in N
 */
export function cleanText(raw: string | Uint8Array, maxBytes = MAX_LINE_BYTES, lostBytes = 0): string {
  const given = typeof raw === 'string' ? raw : decodeText(raw);
  // A text of nothing but colours stays: no stored text is empty.
  let text = withoutColours(given) || given;
  if (text.includes('\0')) text = text.replaceAll('\0', '\uFFFD');
  if (typeof raw === 'string' && !text.isWellFormed()) text = text.toWellFormed();
  // One UTF-16 unit is at most three bytes of UTF-8.
  if (lostBytes === 0 && text.length * 3 <= maxBytes) return text;
  const bytes = Buffer.byteLength(text);
  if (lostBytes === 0 && bytes <= maxBytes) return text;
  const kept = new Uint8Array(Math.max(0, Math.min(bytes, maxBytes - MARK_BYTES)));
  const { written } = encoder.encodeInto(text, kept);
  return `${decodeText(kept.subarray(0, written))} [cut: ${bytes - written + lostBytes} bytes]`;
}

/** Tells whether {@link cleanText} has cut a line. */
export const isCut = (text: string): boolean => text.length >= CUT_LENGTH_MIN && CUT_MARK.test(text.slice(-MARK_BYTES));
