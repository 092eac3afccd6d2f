// Where a tree of components is drawn: through the compositor, which is how the dashboard is run.
import { render } from 'ink';
import type { ReactElement } from 'react';
import type { Theme } from '../theme.ts';
import { Compositor } from './compositor.ts';
import { FrameSink } from './frame-sink.ts';
import type { RealTerminal } from './real-terminal.ts';
import { CompositorContext } from './rows.tsx';
import { styleOfLook } from './style.ts';

/** Something that draws components on a terminal. */
export interface Host {
  /** Rejects when a component throws. */
  readonly exited: Promise<unknown>;
  readonly repaint: () => void;
  readonly unmount: () => void;
}

/** Begins to draw; the bench has one that is plain Ink. `theme`: that of a screen reader, where there is one. */
export type MakeHost = (element: ReactElement, terminal: RealTerminal, theme: Theme | null) => Host;

/** Ink draws whole frames into a sink; the compositor paints what has changed. */
export const composed: MakeHost = (element, terminal, theme) => {
  const cursor =
    theme === null ? null : { caret: styleOfLook(theme.caret), selected: styleOfLook(theme['plain@selected']) };
  const compositor = new Compositor(terminal, undefined, cursor);
  const sink = new FrameSink({ size: () => terminal, onFrame: (frame) => compositor.frame(frame) });
  terminal.setPainter(compositor);
  const unwatch = terminal.onResize(() => {
    compositor.repaint();
    sink.emit('resize');
  });
  const instance = render(<CompositorContext value={compositor}>{element}</CompositorContext>, {
    stdout: sink as unknown as NodeJS.WriteStream,
    // Ink takes a CI variable for "no terminal"; main has looked at the terminal itself.
    interactive: true,
    // Whole frames, as soon as something changes: the compositor decides what becomes of them, and when.
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  return {
    exited: instance.waitUntilExit(),
    repaint: () => compositor.repaint(),
    unmount() {
      unwatch();
      instance.unmount();
    },
  };
};
