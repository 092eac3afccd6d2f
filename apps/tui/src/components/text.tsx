// The only component for text. Ink passes escape sequences, BEL, backspace and direction overrides to the terminal, so
// no other file may use Ink's Text; test/structure.test.ts checks that.

import { clean } from '@quarterdeck/views/text';
import { Text as InkText } from 'ink';
import { createContext, memo, type ReactElement, type ReactNode, use } from 'react';
import { ascii } from '../text/ascii.ts';
import { type Run, sameLine } from '../text/lines.ts';
import { removeGlyphs } from '../text/remove-glyphs.ts';
import { type Theme, type Tone, themeFor } from '../theme.ts';

export type { Run } from '../text/lines.ts';

/** The theme, for the whole tree. */
export const ThemeContext = createContext<Theme>(themeFor({ color: true }));

/** Drawing of our own glyphs: unchanged, in ASCII, or omitted for screen readers. */
export type Drawing = 'glyphs' | 'ascii' | 'words';

/** The drawing, for the whole tree. */
export const DrawingContext = createContext<Drawing>('glyphs');

/** Functions that convert text to each drawing. */
export const DRAW: Readonly<Record<Drawing, (text: string) => string>> = {
  glyphs: (text) => text,
  ascii,
  words: removeGlyphs,
};

interface TextProps {
  readonly tone?: Tone;
  /** Text, or nested Text. */
  readonly children: ReactNode;
}

function harmless(node: ReactNode, draw: (text: string) => string): ReactNode {
  if (typeof node === 'string') return draw(clean(node));
  if (Array.isArray(node)) return node.map((child) => harmless(child, draw));
  return node;
}

/** Renders text on one row. A longer text is cut. */
export function Text({ tone = 'plain', children }: TextProps): ReactElement {
  const theme = use(ThemeContext);
  return (
    <InkText {...theme[tone]} wrap="truncate-end">
      {harmless(children, DRAW[use(DrawingContext)])}
    </InkText>
  );
}

function RunsOnce({ runs }: { readonly runs: readonly Run[] }): ReactElement {
  const theme = use(ThemeContext);
  const draw = DRAW[use(DrawingContext)];
  return (
    <InkText wrap="truncate-end">
      {runs.map(({ text, tone = 'plain' }, index) => (
        <InkText key={index} {...theme[tone]}>
          {draw(clean(text))}
        </InkText>
      ))}
    </InkText>
  );
}

/** Renders several tones on one row. Equal runs do not render again. */
export const Runs = memo(RunsOnce, (before, after) => sameLine(before.runs, after.runs));
