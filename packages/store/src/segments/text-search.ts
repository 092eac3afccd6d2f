// Literal search in texts that follow each other, by native code.

/**
 * Finds the texts that may have one of those searched: calls `found` with the index of each, rising. `starts` has the
 * first byte of each text, and their end.
 */
export type TextSearch = (bytes: Buffer, starts: Uint32Array, found: Found) => void;

type Found = (index: number) => void;

const SPECIAL = /[\\^$.*+?()[\]{}|/-]/g;
/** Bytes without letters that are worth a search of their own. */
const RUN_MIN = 4;
/** Characters that are the same in any case. */
const CASELESS = /[^A-Za-z\u0080-\u{10ffff}]+/gu;

/**
 * Compiles a search for texts, ASCII letters in any case. It misses no line and may find a few too many: bytes stand
 * for characters, and a match may reach into the next line.
 */
export function compileSearch(texts: readonly string[]): TextSearch {
  const [only = ''] = texts;
  const run = texts.length > 1 ? '' : longestOf(only.match(CASELESS) ?? []);
  if (run.length >= RUN_MIN || run === only) {
    const folded = Buffer.from(only).map(foldByte);
    const [part, offset] = [Buffer.from(run), Buffer.byteLength(only.slice(0, only.indexOf(run)))];
    return (bytes, starts, found) => searchBytes({ bytes, starts }, { folded, part, offset }, found);
  }
  const parts = texts.map((text) => Buffer.from(text).toString('latin1').replaceAll(SPECIAL, String.raw`\$&`));
  const pattern = new RegExp(parts.join('|'), 'gi');
  return (bytes, starts, found) => searchPattern({ bytes, starts }, pattern, found);
}

const longestOf = (runs: readonly string[]) => runs.reduce((a, b) => (b.length > a.length ? b : a), '');

const foldByte = (byte: number) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte);

/** Texts in UTF-8, one after the other. */
interface Texts {
  readonly bytes: Buffer;
  readonly starts: Uint32Array;
}

/** A text in lower case, and the part of it that is searched, with its place. */
interface SoughtBytes {
  readonly folded: Uint8Array;
  readonly part: Uint8Array;
  readonly offset: number;
}

/** Searches for the part of a text that has no letters, and compares the rest where it is found. */
function searchBytes({ bytes, starts }: Texts, { folded, part, offset }: SoughtBytes, found: Found): void {
  let line = 0;
  for (let at = bytes.indexOf(part); at >= 0; ) {
    const first = at - offset;
    let next = at + 1;
    if (first >= 0 && isAt(bytes, first, folded)) {
      line = lineAt(starts, first, line);
      const end = starts[line + 1] as number;
      if (first + folded.length <= end) {
        found(line);
        next = Math.max(next, end);
      }
    }
    at = bytes.indexOf(part, next);
  }
}

function isAt(bytes: Uint8Array, at: number, folded: Uint8Array): boolean {
  if (at + folded.length > bytes.length) return false;
  for (let i = 0; i < folded.length; i += 1) if (foldByte(bytes[at + i] as number) !== folded[i]) return false;
  return true;
}

function searchPattern({ bytes, starts }: Texts, pattern: RegExp, found: Found): void {
  const text = bytes.toString('latin1');
  pattern.lastIndex = 0;
  let line = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    line = lineAt(starts, match.index, line);
    const end = starts[line + 1] as number;
    found(line);
    pattern.lastIndex = end;
  }
}

/** Returns the line that has a byte, from a line on that begins before it. */
function lineAt(starts: Uint32Array, at: number, from: number): number {
  // The next lines first: finds are often close together.
  let step = 1;
  while (from + step < starts.length - 1 && (starts[from + step] as number) <= at) step *= 2;
  let [low, high] = [from + (step >>> 1), Math.min(from + step - 1, starts.length - 2)];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((starts[middle] as number) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
