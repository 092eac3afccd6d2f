// Horizontal bars: a label, a bar, a number. Pure.

import type { Line } from '../../text/lines.ts';
import { fit, width as widthOf } from '../../text/width.ts';
import type { Tone } from '../../theme.ts';

/** One bar. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  /** The value in words. */
  readonly text: string;
  readonly tone?: Tone;
}

/** A bar of `value` out of `max` in at most `columns`. Whatever is not nothing is seen. */
export function bar(value: number, max: number, columns: number): string {
  if (value <= 0 || max <= 0 || columns <= 0) return '';
  const halves = Math.max(1, Math.round((Math.min(value, max) / max) * columns * 2));
  return '━'.repeat(Math.floor(halves / 2)) + (halves % 2 === 1 ? '╸' : '');
}

/** Bars below each other, labels and numbers in columns. */
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

/** One bar made of several parts, each in its own tone: what the whole consists of. */
export function stackedBar(parts: readonly { readonly value: number; readonly tone: Tone }[], columns: number): Line {
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  if (total === 0) return [{ text: '─'.repeat(Math.max(0, columns)), tone: 'faint' }];
  const present = parts.filter(({ value }) => value > 0);
  let left = columns;
  let rest = total;
  return present.flatMap(({ value, tone }, index): Line => {
    const following = present.length - 1 - index;
    // What is there is seen, and each part that follows keeps a column of its own, as long as there are any.
    const share = Math.max(1, Math.min(left - following, Math.round((value / rest) * left)));
    const size = following === 0 ? left : Math.min(left, share);
    left -= size;
    rest -= value;
    return size <= 0 ? [] : [{ text: '━'.repeat(size), tone }];
  });
}
