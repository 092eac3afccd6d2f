// A chart one row high. Pure.
import type { ChartGlyphs } from '../../theme/glyphs.ts';
import { BLOCKS, braille, rebucket, SHADES } from './alphabet.ts';

/** Steps of a value. Any value above 0 has a step. */
const steps = (value: number, max: number, most: number): number =>
  value <= 0 || max <= 0 ? 0 : Math.max(1, Math.round((value / max) * most));

/** Draws values as heights, oldest first, in exactly `columns`. Fewer values are aligned right. */
export function sparkline(values: readonly number[], columns: number, alphabet: ChartGlyphs, max?: number): string {
  const perColumn = alphabet === 'braille' ? 2 : 1;
  const room = columns * perColumn;
  const shown =
    values.length > room ? rebucket(values, room) : [...new Array<number>(room - values.length).fill(0), ...values];
  const top = max ?? Math.max(0, ...shown);
  let out = '';
  for (let at = 0; at < room; at += perColumn) {
    const value = shown[at] ?? 0;
    out +=
      alphabet === 'braille'
        ? braille(steps(value, top, 4), steps(shown[at + 1] ?? 0, top, 4))
        : (alphabet === 'block' ? BLOCKS : SHADES)[steps(value, top, 8)];
  }
  return out;
}
