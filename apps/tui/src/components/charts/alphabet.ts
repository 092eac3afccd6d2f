// Glyphs of charts. Pure.

/** Blocks of nine heights, from empty. */
export const BLOCKS = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** ASCII characters of nine weights, from empty. */
export const SHADES = [' ', '.', ':', '-', '=', '+', '*', '#', '@'] as const;

// Bits of the dots of a braille character, from the bottom: left column, right column.
const LEFT = [0, 0x40, 0x44, 0x46, 0x47];
const RIGHT = [0, 0x80, 0xa0, 0xb0, 0xb8];

/** Returns a braille character with 0 to 4 dots from the bottom of each column. */
export const braille = (left: number, right: number): string =>
  String.fromCodePoint(0x2800 + (LEFT[left] ?? 0) + (RIGHT[right] ?? 0));

/** Distributes values over another number of buckets and sums them. */
export function rebucket(values: readonly number[], buckets: number): number[] {
  const out = new Array<number>(Math.max(0, buckets)).fill(0);
  for (const [index, value] of values.entries()) {
    const at = Math.min(buckets - 1, Math.floor((index * buckets) / values.length));
    out[at] = (out[at] ?? 0) + value;
  }
  return out;
}
