// The menu of a chord that has begun: the keys that may follow, in columns. Pure.

import { keyName } from '@quarterdeck/views/keys';
import { width as widthOf } from '../text/width.ts';
import { BOX_EDGE, boxLines } from '../theme/box.ts';
import { fitLine, type Line } from '../theme/lines.ts';
import type { Bound, Unavailable } from './bound-commands.ts';
import type { Reach } from './chord.ts';
import { letterOf } from './letters.ts';

/** Blank columns between two columns of the menu. */
const GAP = 2;

/** The keys of a chord that has begun, and the digits in front of them. */
export interface BegunChord {
  readonly prefix: string;
  readonly count?: string;
}

interface MenuEntry {
  readonly key: string;
  readonly text: string;
  /** Why the command cannot run; null if it can. */
  readonly reason: string | null;
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns the keys that may follow a prefix. */
export function menuEntries(prefix: string, { bound, unavailable }: Reach): MenuEntry[] {
  const { repeated = /^\b$/ } = letterOf(prefix) ?? {};
  const entries = new Map<string, MenuEntry>();
  for (const command of [...bound, ...unavailable] as readonly Bound[]) {
    const { keys, hint, help } = command.binding;
    for (const key of keys.filter((one) => one.startsWith(`${prefix} `))) {
      const next = keyName(key.slice(prefix.length + 1));
      const text = capitalized(hint ?? help.replace(repeated, ''));
      const reason = 'reason' in command ? (command as Unavailable).reason : null;
      if (!entries.has(next)) entries.set(next, { key: next, text, reason });
    }
  }
  return [...entries.values()];
}

/**
 * Widths of the columns: as many columns as show every text whole, each as wide as its widest entry. If that takes more
 * rows than there are, more columns of equal width.
 */
function columnWidths(widths: readonly number[], inner: number, rowsMax: number): readonly number[] {
  for (let columns = widths.length; columns > 0; columns -= 1) {
    const rows = Math.ceil(widths.length / columns);
    const found = Array.from({ length: Math.ceil(widths.length / rows) }, (_, column) =>
      Math.max(...widths.slice(column * rows, (column + 1) * rows)),
    );
    const sum = found.reduce((total, width) => total + width + GAP, -GAP);
    if (sum <= inner && rows <= rowsMax) return found;
  }
  const columns = Math.ceil(widths.length / Math.max(1, rowsMax));
  return Array.from({ length: columns }, () => Math.max(1, Math.floor((inner + GAP) / columns) - GAP));
}

/** The commands that can run, in columns. */
function entryLines(entries: readonly MenuEntry[], inner: number, rowsMax: number): Line[] {
  const keyWidth = Math.max(0, ...entries.map(({ key }) => widthOf(key)));
  const whole = entries.map(({ text }) => keyWidth + 1 + widthOf(text));
  const widths = columnWidths(whole, inner, rowsMax);
  const rows = Math.ceil(entries.length / Math.max(1, widths.length));
  const cell = (entry: MenuEntry | undefined, room: number): Line =>
    fitLine(
      entry === undefined ? [] : [{ text: entry.key.padEnd(keyWidth), tone: 'key' }, { text: ` ${entry.text}` }],
      room,
    );
  return Array.from({ length: rows }, (_, row) =>
    widths.flatMap(
      (room, column): Line => [{ text: ' '.repeat(column > 0 ? GAP : 0) }, ...cell(entries[column * rows + row], room)],
    ),
  );
}

/** The commands that cannot run, a row for each reason. */
const reasonLines = (entries: readonly MenuEntry[]): Line[] =>
  [...Map.groupBy(entries, ({ reason }) => reason)].map(([reason, those]) => [
    { text: `${those.map(({ key, text }) => `${key} ${text}`).join(', ')}: ${reason}`, tone: 'faint' },
  ]);

/** Renders the menu in a frame of `width` columns and at most `height` rows; empty without entries. */
export function menuLines({ prefix, count = '' }: BegunChord, reach: Reach, width: number, height: number): Line[] {
  const entries = menuEntries(prefix, reach);
  if (entries.length === 0) return [];
  const rows = Math.max(1, height - BOX_EDGE.rows);
  const refused = reasonLines(entries.filter(({ reason }) => reason !== null)).slice(0, rows - 1);
  const able = entries.filter(({ reason }) => reason === null);
  const lines = [...entryLines(able, width - BOX_EDGE.columns, rows - refused.length), ...refused];
  const meaning = letterOf(prefix)?.text;
  const typed = `${count}${keyName(prefix)}`;
  const title = meaning === undefined ? typed : `${typed}  ${meaning}`;
  return boxLines(lines, { title, width, note: `${keyName('escape')} cancels` });
}
