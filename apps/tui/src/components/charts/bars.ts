// Horizontal bars: a label, a bar, a number. Pure.

import { fit, width as widthOf } from '../../text/width.ts';
import type { Line } from '../../theme/lines.ts';
import type { Tone } from '../../theme/theme.ts';

export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly text: string;
  readonly tone?: Tone;
}

/** Draws a bar of `value` out of `max` in at most `columns`. Any value above 0 is visible. */
export function bar(value: number, max: number, columns: number): string {
  if (value <= 0 || max <= 0 || columns <= 0) return '';
  const halves = Math.max(1, Math.round((Math.min(value, max) / max) * columns * 2));
  return '━'.repeat(Math.floor(halves / 2)) + (halves % 2 === 1 ? '╸' : '');
}

/** Draws bars below each other, with labels and numbers in columns. */
export function barLines(bars: readonly Bar[], columns: number): Line[] {
  const numbers = Math.max(0, ...bars.map(({ text }) => widthOf(text)));
  const longest = Math.max(0, ...bars.map(({ label }) => widthOf(label)));
  const labels = Math.min(longest, Math.max(6, Math.floor((columns - numbers) * 0.6)));
  const room = Math.max(0, columns - labels - numbers - 2);
  const max = Math.max(0, ...bars.map(({ value }) => value));
  return bars.map(({ label, value, text, tone }) => [
    { text: `${fit(label, labels)} `, tone: value === 0 ? 'muted' : 'plain' },
    { text: fit(bar(value, max, room), room), tone: tone ?? 'accent' },
    { text: ` ${fit(text, numbers, 'right')}`, tone: value === 0 ? 'muted' : 'plain' },
  ]);
}

/** Draws one bar of several parts, each in its own tone. */
export function stackedBar(parts: readonly { readonly value: number; readonly tone: Tone }[], columns: number): Line {
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  if (total === 0) return [{ text: '─'.repeat(Math.max(0, columns)), tone: 'faint' }];
  const present = parts.filter(({ value }) => value > 0);
  let left = columns;
  let rest = total;
  return present.flatMap(({ value, tone }, index): Line => {
    const following = present.length - 1 - index;
    // Any part above 0 is visible, and each part after it keeps a column, as long as there are any.
    const share = Math.max(1, Math.min(left - following, Math.round((value / rest) * left)));
    const size = following === 0 ? left : Math.min(left, share);
    left -= size;
    rest -= value;
    return size <= 0 ? [] : [{ text: '━'.repeat(size), tone }];
  });
}
