// Counts over time, several rows high, each column in the tone of the worst that happened in it. Pure.
import type { Line, Run } from '../../text/lines.ts';
import type { Tone } from '../../theme.ts';
import { type Alphabet, BLOCKS, braille } from './alphabet.ts';

/** What happened in one stretch of time. */
export interface Bucket {
  readonly value: number;
  readonly tone: Tone;
}

/** How many buckets fit into so many columns. */
export const bucketsIn = (columns: number, alphabet: Alphabet): number =>
  alphabet === 'braille' ? columns * 2 : columns;

/** Height of a value in steps: in proportion, but whatever is not nothing is seen. */
const heightOf = (value: number, max: number, steps: number): number =>
  value <= 0 || max <= 0 ? 0 : Math.max(1, Math.round((value / max) * steps));

function glyph(steps: readonly number[], row: number, perRow: number, alphabet: Alphabet): string {
  const inRow = steps.map((height) => Math.max(0, Math.min(perRow, height - row * perRow)));
  if (alphabet === 'braille') return braille(inRow[0] ?? 0, inRow[1] ?? 0);
  if (alphabet === 'block') return BLOCKS[inRow[0] ?? 0] ?? ' ';
  return (inRow[0] ?? 0) === 0 ? ' ' : (inRow[0] ?? 0) < perRow ? '.' : '#';
}

/** Rows of the chart, the top one first; the buckets fill its columns from the left. */
export function histogramLines(buckets: readonly Bucket[], columns: number, rows: number, alphabet: Alphabet): Line[] {
  const perColumn = alphabet === 'braille' ? 2 : 1;
  const perRow = alphabet === 'braille' ? 4 : alphabet === 'block' ? 8 : 2;
  const max = Math.max(0, ...buckets.map(({ value }) => value));
  const heights = buckets.map(({ value }) => heightOf(value, max, rows * perRow));
  return Array.from({ length: rows }, (_, index): Line => {
    const row = rows - 1 - index;
    const runs: { text: string; tone: Tone }[] = [];
    for (let column = 0; column < columns; column += 1) {
      const at = column * perColumn;
      const own = heights.slice(at, at + perColumn);
      const text = glyph(own, row, perRow, alphabet);
      const higher = perColumn === 2 && (heights[at + 1] ?? 0) > (heights[at] ?? 0) ? at + 1 : at;
      const tone = buckets[higher]?.tone ?? 'faint';
      const last = runs.at(-1);
      if (last !== undefined && (last.tone === tone || text === ' ' || text === '⠀')) last.text += text;
      else runs.push({ text, tone });
    }
    return runs as Run[];
  });
}
