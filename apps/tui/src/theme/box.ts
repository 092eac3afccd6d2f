// Frames around rows, for overlays. Pure.

import { cut, width as widthOf } from '../text/width.ts';
import { fitLine, type Line } from './lines.ts';
import type { BaseTone } from './theme.ts';

/** Columns and rows that a frame adds to its content. */
export const BOX_EDGE = { columns: 4, rows: 2 } as const;

/** Draws content in a frame of `columns`, with a title above and a note below where there are some. */
export function boxLines(
  content: readonly Line[],
  options: { readonly title?: string; readonly tone?: BaseTone; readonly width: number; readonly note?: string },
): Line[] {
  const { title = '', tone = 'title', width, note = '' } = options;
  const edge = tone === 'bad' ? ('bad' as const) : ('faint' as const);
  const shown = cut(title, Math.max(1, width - 6));
  const below = cut(note, Math.max(0, width - 6));
  const inner = width - BOX_EDGE.columns;
  const head: Line =
    shown === ''
      ? [{ text: `╭${'─'.repeat(Math.max(0, width - 2))}╮`, tone: edge }]
      : [
          { text: '╭─ ', tone: edge },
          { text: shown, tone },
          { text: ` ${'─'.repeat(Math.max(0, width - widthOf(shown) - 5))}╮`, tone: edge },
        ];
  return [
    head,
    ...content.map((line): Line => [{ text: '│ ', tone: edge }, ...fitLine(line, inner), { text: ' │', tone: edge }]),
    below === ''
      ? [{ text: `╰${'─'.repeat(Math.max(0, width - 2))}╯`, tone: edge }]
      : [
          { text: `╰${'─'.repeat(Math.max(0, width - widthOf(below) - 5))} `, tone: edge },
          { text: below, tone: 'muted' },
          { text: ' ─╯', tone: edge },
        ],
  ];
}
