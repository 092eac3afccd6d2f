// Draws a tree of components on a terminal: Ink draws whole frames, the compositor paints what has changed.
import { Writable } from 'node:stream';
import { render } from 'ink';
import type { ReactElement } from 'react';
import { Compositor } from './compositor.ts';
import type { Look } from './look.ts';
import { CompositorContext } from './painted-rows.tsx';
import type { RealTerminal } from './real-terminal.ts';
import { styleOfLook } from './style.ts';

export interface SinkOptions {
  readonly size: () => { readonly columns: number; readonly rows: number };
  readonly onFrame: (frame: string) => void;
}

/** A terminal for Ink. */
export class FrameSink extends Writable {
  readonly isTTY = true;
  readonly #options: SinkOptions;

  constructor(options: SinkOptions) {
    super({ decodeStrings: false });
    this.#options = options;
  }

  get columns(): number {
    return this.#options.size().columns;
  }

  get rows(): number {
    return this.#options.size().rows;
  }

  override _write(frame: string, _encoding: string, done: () => void): void {
    // Private modes that Ink sets are not frames. The real terminal sets its own.
    if (!frame.startsWith('\u001B[?')) this.#options.onFrame(frame);
    done();
  }
}

/** A tree of components that is being drawn. */
export interface Host {
  /** Rejects when a component throws. */
  readonly exited: Promise<unknown>;
  readonly repaint: () => void;
  readonly unmount: () => void;
}

/** Looks that the terminal's own cursor follows, for screen readers: first `caret`, then `selected`. */
export interface FollowedLooks {
  readonly caret: Look;
  readonly selected: Look;
}

/** Draws an element on a terminal. Without `followed` the terminal's own cursor is hidden. */
export type DrawOn = (element: ReactElement, terminal: RealTerminal, followed: FollowedLooks | null) => Host;

/** Draws through the compositor. */
export const drawOn: DrawOn = (element, terminal, followed) => {
  const cursor =
    followed === null ? null : { caret: styleOfLook(followed.caret), selected: styleOfLook(followed.selected) };
  const compositor = new Compositor(terminal, undefined, cursor);
  const sink = new FrameSink({ size: () => terminal, onFrame: (frame) => compositor.frame(frame) });
  terminal.setPainter(compositor);
  const unwatch = terminal.onResize(() => {
    compositor.repaint();
    sink.emit('resize');
  });
  const instance = render(<CompositorContext value={compositor}>{element}</CompositorContext>, {
    stdout: sink as unknown as NodeJS.WriteStream,
    // Ink takes a CI variable for "no terminal", but main.ts has already checked the terminal.
    interactive: true,
    // Ink writes a whole frame after every change; the compositor decides when to paint it.
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
