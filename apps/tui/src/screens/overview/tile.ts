// A tile: a title and a few rows in a frame. Pure.

import { cut, width as widthOf } from '../../text/width.ts';
import { beside, fitLine, type Line, lineWidth } from '../../theme/lines.ts';
import { type BaseTone, on } from '../../theme/theme.ts';
import type { Place } from './overview-layout.ts';

export interface Tile {
  readonly id: string;
  readonly title: string;
  /** Text at the right of the title: a number, an age. */
  readonly note?: string;
  readonly noteTone?: BaseTone;
  /** True for old data, drawn grey. */
  readonly stale: boolean;
  /** Rows that it wants. */
  readonly rows: number;
  readonly lines: (width: number, height: number) => readonly Line[];
}

/** The content of a tile. */
export type TileContent = Pick<Tile, 'rows' | 'lines'> & { readonly note?: string };

const whole = (line: Line): Line => line;
const grey = (line: Line): Line => line.map(({ text }) => ({ text, tone: 'faint' }));

/** A row on the ground of the selection. */
const selected = (line: Line): Line => line.map((run) => ({ ...run, tone: on(run.tone, 'selected') }));

/** The rows of a tile with its frame; `row` is the selected one of a focused tile, -1 for none. */
export function tileLines(tile: Tile, width: number, height: number, focused: boolean, row = -1): Line[] {
  const { title, note = '', noteTone = 'muted', stale, lines } = tile;
  const inner = width - 4;
  const edge = focused ? ('here' as const) : ('faint' as const);
  const shownTitle = cut(title, Math.max(0, inner - 2));
  const shownNote = cut(note, Math.max(0, inner - widthOf(shownTitle) - 4));
  const head: Line = [
    { text: '╭─ ', tone: edge },
    { text: shownTitle, tone: focused ? 'title' : 'strong' },
    { text: ' ', tone: edge },
  ];
  const tail: Line = [
    ...(shownNote === '' ? [] : [{ text: ` ${shownNote} `, tone: stale ? ('warning' as const) : noteTone }]),
    { text: '─╮', tone: edge },
  ];
  const fill = Math.max(0, width - lineWidth(head) - lineWidth(tail));
  const body = lines(inner, height - 2).slice(0, height - 2);
  const blank = Array.from({ length: Math.max(0, height - 2 - body.length) }, (): Line => []);
  return [
    fitLine([...head, { text: '─'.repeat(fill), tone: edge }, ...tail], width),
    ...[...body, ...blank].map((line, index) => [
      { text: '│ ', tone: edge },
      ...(index === row ? selected : whole)(fitLine(stale ? grey(line) : line, inner)),
      { text: ' │', tone: edge },
    ]),
    [{ text: `╰${'─'.repeat(Math.max(0, width - 2))}╯`, tone: edge }],
  ];
}

/** The focused tile, and its selected row; -1 for none. */
export interface TileFocus {
  readonly tile: number;
  readonly row: number;
}

/** The tiles at their places as rows; those with the same top row are side by side. */
export function tileRows(tiles: readonly Tile[], places: readonly Place[], focus: TileFocus): Line[] {
  const blocks = places.flatMap(({ row, width, height }, index) => {
    const tile = tiles[index];
    return tile === undefined
      ? []
      : [
          {
            row,
            width,
            lines: tileLines(tile, width, height, index === focus.tile, index === focus.tile ? focus.row : -1),
          },
        ];
  });
  return [...Map.groupBy(blocks, ({ row }) => row).values()].flatMap((band) => beside(band, 0));
}
