// What charts are drawn with. Pure.

/** `braille`: two values to a column, four steps to a row; `block`: one value, eight steps; `ascii`: one value, by weight. */
export type ChartGlyphs = 'braille' | 'block' | 'ascii';

/** The eight heights of a block, from none. */
export const BLOCKS = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** The same by weight. */
export const SHADES = [' ', '.', ':', '-', '=', '+', '*', '#', '@'] as const;

// Bits of a braille character's dots, from the bottom of its left and its right column.
const LEFT = [0, 0x40, 0x44, 0x46, 0x47];
const RIGHT = [0, 0x80, 0xa0, 0xb0, 0xb8];

/** A braille character with so many dots (0 to 4) from the bottom of each of its columns. */
export const braille = (left: number, right: number): string =>
  String.fromCodePoint(0x2800 + (LEFT[left] ?? 0) + (RIGHT[right] ?? 0));

/** The same values in so many buckets: each is the sum of those that fall into it. */
export function rebucket(values: readonly number[], buckets: number): number[] {
  const out = new Array<number>(Math.max(0, buckets)).fill(0);
  for (const [index, value] of values.entries()) {
    const at = Math.min(buckets - 1, Math.floor((index * buckets) / values.length));
    out[at] = (out[at] ?? 0) + value;
  }
  return out;
}
