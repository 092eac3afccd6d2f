// The only component for text. Ink passes escape sequences, BEL, backspace and direction overrides to the terminal, so
// no other file may use Ink's Text; test/structure.test.ts checks that.

import { clean } from '@quarterdeck/views/text';
import { Text as InkText } from 'ink';
import { createContext, createElement, memo, type ReactElement, type ReactNode, use } from 'react';
import { ascii } from '../text/ascii.ts';
import { removeGlyphs } from '../text/remove-glyphs.ts';
import { type Run, sameLine } from '../theme/lines.ts';
import { type Theme, type Tone, themeFor } from '../theme/theme.ts';

export type { Run } from '../theme/lines.ts';

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

const ONE_ROW = { flexGrow: 0, flexShrink: 1, flexDirection: 'row', textWrap: 'truncate-end' } as const;

/** A row that Ink cuts where it is too long. The mark of the cut is drawn as all other glyphs. */
function Row({ children }: { readonly children: ReactElement }): ReactElement {
  const drawing = use(DrawingContext);
  if (drawing === 'glyphs') return children;
  // Ink's own element for this, Transform, has no way to cut.
  return createElement('ink-text', { style: ONE_ROW, internal_transform: DRAW[drawing] }, children);
}

/** Renders text on one row. A longer text is cut. */
export function Text({ tone = 'plain', children }: TextProps): ReactElement {
  const theme = use(ThemeContext);
  return (
    <Row>
      <InkText {...theme[tone]} wrap="truncate-end">
        {harmless(children, DRAW[use(DrawingContext)])}
      </InkText>
    </Row>
  );
}

function RunsOnce({ runs }: { readonly runs: readonly Run[] }): ReactElement {
  const theme = use(ThemeContext);
  const draw = DRAW[use(DrawingContext)];
  return (
    <Row>
      <InkText wrap="truncate-end">
        {runs.map(({ text, tone = 'plain' }, index) => (
          <InkText key={index} {...theme[tone]}>
            {draw(clean(text))}
          </InkText>
        ))}
      </InkText>
    </Row>
  );
}

/** Renders several tones on one row. Equal runs do not render again. */
export const Runs = memo(RunsOnce, (before, after) => sameLine(before.runs, after.runs));
