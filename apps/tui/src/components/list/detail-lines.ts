// Details of the selected row as lines. Pure.
import type { Query } from '@quarterdeck/views/reads';
import { clean } from '@quarterdeck/views/text';
import { cut, fit, width as widthOf, wrap } from '../../text/width.ts';
import { BOX_EDGE } from '../../theme/box.ts';
import { fitLine, type Line } from '../../theme/lines.ts';
import type { Tone } from '../../theme/theme.ts';

/** A labelled value. */
export interface Fact {
  readonly label: string;
  readonly value: string;
  readonly tone?: Tone | undefined;
}

/** Facts in their order; null is a fact without a row. */
export type Facts = readonly (Fact | null)[];

/** Details of a row. */
export interface Detail {
  readonly title: string;
  readonly tone?: Tone | undefined;
  readonly lines: (width: number) => readonly Line[];
}

/** Details that begin with facts. */
export const factDetail = (title: string, facts: Facts, more?: (width: number) => readonly Line[]): Detail => ({
  title,
  lines: (width) => [...factLines(facts, width), ...(more?.(width) ?? [])],
});

/** Renders facts with labels in a column. Long values are wrapped below themselves. */
export function factLines(all: Facts, width: number): Line[] {
  const facts = all.filter((fact) => fact !== null);
  const labels = Math.max(0, ...facts.map(({ label }) => widthOf(label)));
  return facts.flatMap(({ label, value, tone }) =>
    wrap(value === '' ? '–' : value, Math.max(1, width - labels - 2)).map(
      (text, row): Line => [
        { text: `${fit(row === 0 ? label : '', labels)}  `, tone: 'muted' },
        { text, tone: value === '' ? 'faint' : tone },
      ],
    ),
  );
}

/** A heading within details. */
export const heading = (text: string): Line => [{ text, tone: 'strong' }];

/** Wraps text. */
export const paragraph = (text: string, width: number, tone?: Tone): Line[] =>
  text.split('\n').flatMap((line) => wrap(clean(line), width).map((row): Line => [{ text: row, tone }]));

/** The failure of a query, or the text of a read in progress, in the place of data that is not there. */
export const queryLines = (query: Query<unknown>, reading: string, width: number): Line[] =>
  query.status === 'failed' ? paragraph(query.failure.message, width, 'bad') : [[{ text: reading, tone: 'muted' }]];

/** Returns the width of a pane's content. */
export const innerWidth = (width: number, side: 'below' | 'beside'): number =>
  Math.max(1, width - (side === 'beside' ? 4 : 3));

/** Renders the visible part of the details below their title. */
export function detailWindow(
  { title, tone, lines }: Detail,
  place: {
    readonly width: number;
    readonly height: number;
    readonly side: 'below' | 'beside';
    readonly from: number;
    readonly focused: boolean;
  },
): Line[] {
  const { width, height, side, focused } = place;
  const isFramed = side === 'beside';
  const all = lines(innerWidth(width, side));
  const room = Math.max(0, height - (isFramed ? 2 : 1));
  const last = Math.max(0, all.length - room);
  const from = Math.min(place.from, last);
  const rows = all.slice(from, from + room);
  const where = last > 0 ? ` ${from + 1}–${from + rows.length} of ${all.length} ` : '';
  const [lead, end] = isFramed ? ['╭─ ', '─╮'] : ['── ', ''];
  const shown = cut(clean(title), Math.max(1, width - widthOf(where) - 7));
  const rest = Math.max(0, width - widthOf(lead) - widthOf(shown) - 1 - widthOf(where) - widthOf(end));
  const edge: Tone = focused ? 'here' : 'faint';
  const head: Line = [
    { text: lead, tone: edge },
    { text: shown, tone: tone ?? 'strong' },
    { text: ` ${'─'.repeat(rest)}`, tone: edge },
    ...(where === '' ? [] : [{ text: where, tone: 'muted' as const }]),
    ...(end === '' ? [] : [{ text: end, tone: edge }]),
  ];
  const blank = Array.from({ length: Math.max(0, room - rows.length) }, (): Line => []);
  const body = [...rows, ...blank];
  if (!isFramed) return [fitLine(head, width), ...body.map((line) => fitLine([{ text: '  ' }, ...line], width))];
  return [
    fitLine(head, width),
    ...body.map((line) => [
      { text: '│ ', tone: edge },
      ...fitLine(line, width - BOX_EDGE.columns),
      { text: ' │', tone: edge },
    ]),
    [{ text: `╰${'─'.repeat(Math.max(0, width - 2))}╯`, tone: edge }],
  ];
}
