// Messages as rows, with the parts that differ between the occurrences of an error in their own tones. Pure.
import { cleanLines, type MessagePiece, messagePieces } from '@quarterdeck/views/text';
import { width as widthOf, wrap } from '../text/width.ts';
import { type Line, type Run, sliceLine } from './lines.ts';
import type { BaseTone } from './theme.ts';

const TONES: Readonly<Record<NonNullable<MessagePiece['kind']>, BaseTone>> = {
  number: 'number',
  address: 'address',
  id: 'address',
  path: 'path',
  text: 'quoted',
};

const runsOf = (message: string, toneOf: (kind: NonNullable<MessagePiece['kind']>) => BaseTone): Run[] =>
  messagePieces(message).map(({ text, kind }) => (kind === undefined ? { text } : { text, tone: toneOf(kind) }));

/** A cleaned message of one line, each part in the tone of its kind. */
export const messageRuns = (text: string): Run[] => runsOf(text, (kind) => TONES[kind]);

/** A cleaned message of one line with grey parts: the words that all occurrences share stand out. */
export const sharedWords = (text: string): Run[] => runsOf(text, () => 'muted');

/** Columns that the rows after the first one of a wrapped line are indented. */
const HANGING = 4;

/** Wraps a message. In one of several lines, such as a stack trace, a wrapped line goes on further to the right. */
export function messageLines(log: string, width: number): Line[] {
  const lines = cleanLines(log);
  return lines.flatMap((line): Line[] => {
    const runs = messageRuns(line);
    const indent = lines.length === 1 ? 0 : Math.min(leadOf(line) + HANGING, Math.floor(width / 2));
    const [first = '', ...rest] = wrap(line, width);
    if (rest.length === 0) return [runs];
    const rows = [first, ...wrap(line.slice(line.indexOf(rest[0] ?? '', first.length)), width - indent)];
    let at = 0;
    return rows.map((row, index) => {
      const from = line.indexOf(row, at);
      at = from + row.length;
      const shown = sliceLine(runs, widthOf(line.slice(0, from)), widthOf(row));
      return index === 0 || indent === 0 ? shown : [{ text: ' '.repeat(indent) }, ...shown];
    });
  });
}

/** Blanks at the beginning of a line. */
const leadOf = (line: string): number => line.length - line.trimStart().length;
