// A tile: a title and a few rows in a frame. Pure.
import { beside, fitLine, type Line, lineWidth } from '../../text/lines.ts';
import { cut, width as widthOf } from '../../text/width.ts';
import type { BaseTone } from '../../theme.ts';
import type { Place } from './overview-layout.ts';

/** A tile. */
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

const grey = (line: Line): Line => line.map(({ text }) => ({ text, tone: 'faint' }));

/** The rows of a tile with its frame. */
export function tileLines(tile: Tile, width: number, height: number, focused: boolean): Line[] {
  const { title, note = '', noteTone = 'muted', stale, lines } = tile;
  const inner = width - 4;
  const edge = focused ? ('here' as const) : ('faint' as const);
  const shownNote = cut(note, Math.max(0, inner - widthOf(title) - 4));
  const head: Line = [
    { text: '╭─ ', tone: edge },
    { text: title, tone: focused ? 'title' : 'strong' },
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
    ...[...body, ...blank].map((line) => [
      { text: '│ ', tone: edge },
      ...fitLine(stale ? grey(line) : line, inner),
      { text: ' │', tone: edge },
    ]),
    [{ text: `╰${'─'.repeat(Math.max(0, width - 2))}╯`, tone: edge }],
  ];
}

/** The tiles at their places as rows; those with the same top row are side by side. */
export function tileRows(tiles: readonly Tile[], places: readonly Place[], focus: number): Line[] {
  const blocks = places.flatMap(({ row, width, height }, index) => {
    const tile = tiles[index];
    return tile === undefined ? [] : [{ row, width, lines: tileLines(tile, width, height, index === focus) }];
  });
  return [...Map.groupBy(blocks, ({ row }) => row).values()].flatMap((band) => beside(band, 0));
}
