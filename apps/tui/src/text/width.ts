// Measures text in columns, and cuts or fills it to a width. Expects cleaned text.

import { isSimple } from '@quarterdeck/views/text';
import stringWidth from 'string-width';

const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

// Terminals disagree on joined characters: some draw a cluster in two columns, others draw each part in its own. The
// larger width counts, so that a row never runs past the edge.
function clusterWidth(cluster: string): number {
  const known = widths.get(cluster);
  if (known !== undefined) return known;
  let parts = 0;
  for (const character of cluster) if (!ZERO_WIDTH.test(character)) parts += stringWidth(character);
  const columns = Math.max(stringWidth(cluster), parts);
  if (widths.size >= WIDTHS_MAX) widths.clear();
  widths.set(cluster, columns);
  return columns;
}

/** Maximum number of cached widths. */
const WIDTHS_MAX = 4_096;
const widths = new Map<string, number>();

/** Returns the maximum number of columns of a text. */
export function width(text: string): number {
  if (isSimple(text)) return text.length;
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) columns += clusterWidth(segment);
  return columns;
}

/** Returns the longest beginning of a text that fits, and its width. */
export function take(text: string, columns: number): { head: string; used: number } {
  if (isSimple(text)) {
    const head = text.slice(0, Math.max(0, columns));
    return { head, used: head.length };
  }
  let used = 0;
  let end = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    const next = used + clusterWidth(segment);
    if (next > columns) break;
    used = next;
    end = index + segment.length;
  }
  return { head: text.slice(0, end), used };
}

/** Cuts text to `columns`. A cut is marked with `…`. */
export function cut(text: string, columns: number): string {
  if (columns <= 0) return '';
  const whole = take(text, columns);
  if (whole.head.length === text.length) return text;
  return `${take(text, columns - 1).head}…`;
}

/** Cuts or fills text to exactly `columns`. */
export function fit(text: string, columns: number, align: 'left' | 'right' = 'left'): string {
  if (columns <= 0) return '';
  const shown = cut(text, columns);
  const fill = ' '.repeat(Math.max(0, columns - width(shown)));
  return align === 'left' ? shown + fill : fill + shown;
}

/** Wraps text into rows of similar width, without more rows than needed. */
export function wrapEvenly(line: string, columns: number): string[] {
  const rows = wrap(line, columns);
  for (let narrower = columns - 1; narrower >= columns / 2; narrower -= 1) {
    const next = wrap(line, narrower);
    if (next.length > rows.length) return wrap(line, narrower + 1);
  }
  return rows;
}

/** Wraps a line of text into rows of at most `columns`, between words where possible. */
export function wrap(line: string, columns: number): string[] {
  if (columns <= 0) return [];
  const rows: string[] = [];
  let rest = line;
  for (;;) {
    const { head } = take(rest, columns);
    if (head.length === rest.length) {
      rows.push(rest);
      return rows;
    }
    // A glyph wider than the whole row is cut, so that the loop ends.
    if (head === '') {
      rows.push('…');
      return rows;
    }
    const space = rest[head.length] === ' ' ? head.length : head.lastIndexOf(' ');
    const end = space > 0 ? space : head.length;
    rows.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(space > 0 ? end + 1 : end);
  }
}
