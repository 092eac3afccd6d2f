// The only way text reaches the screen. Ink passes escape sequences, BEL, backspace and direction overrides on to the
// terminal, so nothing else may use Ink's own Text; test/structure.test.ts checks it.
import { Text as InkText } from 'ink';
import { createContext, type ReactElement, type ReactNode, use } from 'react';
import { clean } from '../text/clean.ts';
import { type Theme, type Tone, themeFor } from '../theme.ts';

/** Looks by meaning, for the whole tree. */
export const ThemeContext = createContext<Theme>(themeFor({ color: true }));

/** Text of one tone. */
export interface Run {
  readonly text: string;
  readonly tone?: Tone | undefined;
}

interface TextProps {
  readonly tone?: Tone;
  /** Text, or nested Text. */
  readonly children: ReactNode;
}

function harmless(node: ReactNode): ReactNode {
  if (typeof node === 'string') return clean(node);
  if (Array.isArray(node)) return node.map(harmless);
  return node;
}

/** Text on one row; what does not fit is cut. */
export function Text({ tone = 'plain', children }: TextProps): ReactElement {
  const theme = use(ThemeContext);
  return (
    <InkText {...theme[tone]} wrap="truncate-end">
      {harmless(children)}
    </InkText>
  );
}

/** Several tones on one row. */
export function Runs({ runs }: { readonly runs: readonly Run[] }): ReactElement {
  const theme = use(ThemeContext);
  return (
    <InkText wrap="truncate-end">
      {runs.map(({ text, tone = 'plain' }, index) => (
        <InkText key={index} {...theme[tone]}>
          {clean(text)}
        </InkText>
      ))}
    </InkText>
  );
}
