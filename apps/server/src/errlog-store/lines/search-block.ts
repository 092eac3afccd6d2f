// Literal search in a block of texts by native code.
import type { OpenBlock } from '../segments/segment-reader.ts';

/** Finds the lines of a block that may have one of some texts: calls `found` with each place, rising. */
export type BlockSearch = (block: OpenBlock, found: (place: number) => void) => void;

const SPECIAL = /[\\^$.*+?()[\]{}|/-]/g;

/**
 * Compiles a search for texts, ASCII letters in any case. It misses no line and may find a few too many: bytes stand
 * for characters, and a match may reach into the next line.
 */
export function compileSearch(texts: readonly string[]): BlockSearch {
  const [only = ''] = texts;
  if (texts.length === 1 && !/[A-Za-z]/.test(only))
    return (block, found) => searchBytes(block, Buffer.from(only), found);
  const parts = texts.map((text) => Buffer.from(text).toString('latin1').replaceAll(SPECIAL, String.raw`\$&`));
  const pattern = new RegExp(parts.join('|'), 'gi');
  return (block, found) => searchPattern(block, pattern, found);
}

function searchBytes({ from, bytes, starts }: OpenBlock, text: Buffer, found: (place: number) => void): void {
  let line = 0;
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at)) {
    line = lineAt(starts, at, line);
    found(from + line);
    at = starts[line + 1] as number;
  }
}

function searchPattern({ from, bytes, starts }: OpenBlock, pattern: RegExp, found: (place: number) => void): void {
  const text = bytes.toString('latin1');
  pattern.lastIndex = 0;
  let line = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    line = lineAt(starts, match.index, line);
    found(from + line);
    pattern.lastIndex = starts[line + 1] as number;
  }
}

/** Returns the line that has a byte, from a line on that begins before it. */
export function lineAt(starts: Uint32Array, at: number, from: number): number {
  let [low, high] = [from, starts.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((starts[middle] as number) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
