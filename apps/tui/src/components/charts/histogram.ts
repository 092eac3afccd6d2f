// A histogram over time, several rows high. Each column stacks the parts of a bucket, the worst at the bottom. Pure.

import type { ChartGlyphs } from '../../theme/glyphs.ts';
import type { Line, Run } from '../../theme/lines.ts';
import type { Tone } from '../../theme/theme.ts';
import { BLOCKS, braille } from './alphabet.ts';

/** Marks a value above the top. */
const ABOVE = '▲';

/** Parts of one bucket, from the bottom. */
export type Bucket = readonly { readonly value: number; readonly tone: Tone }[];

/** Returns the value of a bucket. */
export const sumOf = (bucket: Bucket): number => bucket.reduce((sum, { value }) => sum + value, 0);

/** Returns the tone of a bucket with this sum at a share of its height. */
function toneAt(bucket: Bucket, sum: number, share: number): Tone {
  let left = sum * share;
  for (const { value, tone } of bucket) {
    if (left < value) return tone;
    left -= value;
  }
  return bucket.at(-1)?.tone ?? 'faint';
}

/** Returns the number of buckets that fit into `columns`. */
export const bucketsIn = (columns: number, alphabet: ChartGlyphs): number =>
  alphabet === 'braille' ? columns * 2 : columns;

/** Returns the height of a value in steps. Any value above 0 has a step. */
const heightOf = (value: number, max: number, steps: number): number =>
  value <= 0 || max <= 0 ? 0 : Math.max(1, Math.round((value / max) * steps));

function glyph(steps: readonly number[], row: number, perRow: number, alphabet: ChartGlyphs): string {
  const inRow = steps.map((height) => Math.max(0, Math.min(perRow, height - row * perRow)));
  if (alphabet === 'braille') return braille(inRow[0] ?? 0, inRow[1] ?? 0);
  if (alphabet === 'block') return BLOCKS[inRow[0] ?? 0] ?? ' ';
  return (inRow[0] ?? 0) === 0 ? ' ' : (inRow[0] ?? 0) < perRow ? '.' : '#';
}

/** Size and scale of a chart. */
export interface HistogramOptions {
  readonly columns: number;
  readonly rows: number;
  readonly alphabet: ChartGlyphs;
  /** The value at the top; by default the highest one. */
  readonly top?: number;
}

/** Returns the rows of the chart from the top. Buckets fill the columns from the left. Higher values get a mark. */
export function histogramLines(buckets: readonly Bucket[], { columns, rows, alphabet, top }: HistogramOptions): Line[] {
  const perColumn = alphabet === 'braille' ? 2 : 1;
  const perRow = alphabet === 'braille' ? 4 : alphabet === 'block' ? 8 : 2;
  const values = buckets.map(sumOf);
  const max = top ?? Math.max(0, ...values);
  const heights = values.map((value) => heightOf(Math.min(value, max), max, rows * perRow));
  return Array.from({ length: rows }, (_, index): Line => {
    const row = rows - 1 - index;
    const runs: { text: string; tone: Tone }[] = [];
    for (let column = 0; column < columns; column += 1) {
      const at = column * perColumn;
      const own = heights.slice(at, at + perColumn);
      const isAbove = index === 0 && values.slice(at, at + perColumn).some((value) => value > max);
      const text = isAbove ? ABOVE : glyph(own, row, perRow, alphabet);
      const last = runs.at(-1);
      // A blank needs no style.
      if (last !== undefined && (text === ' ' || text === '⠀')) {
        last.text += text;
        continue;
      }
      const higher = perColumn === 2 && (heights[at + 1] ?? 0) > (heights[at] ?? 0) ? at + 1 : at;
      const middle = row * perRow + Math.min(perRow, Math.max(0, (heights[higher] ?? 0) - row * perRow)) / 2;
      const tone = toneAt(buckets[higher] ?? [], values[higher] ?? 0, middle / Math.max(1, heights[higher] ?? 1));
      if (last?.tone === tone) last.text += text;
      else runs.push({ text, tone });
    }
    return runs as Run[];
  });
}
