// Renders the same components in plain Ink and through the compositor, each on its own screen.
import chalk from 'chalk';
import { Box, render } from 'ink';
import type { ReactElement } from 'react';
import { Compositor } from '../../src/terminal/compositor.ts';
import { FrameSink } from '../../src/terminal/host.tsx';
import { CompositorContext } from '../../src/terminal/painted-rows.tsx';
import { createScreen, type Screen } from './cells.ts';

// Test runs have no terminal, and therefore no colours. Every test that draws has them: styles are cached.
chalk.level = 3;

/** Size of a window. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Both screens. */
export interface Stage {
  readonly compositor: Compositor;
  readonly plain: Screen;
  readonly composed: Screen;
  /** Output of the compositor for the last picture. */
  readonly sent: () => string;
  /** Shows a picture in a window of this size. Resolves when both screens show it. */
  readonly show: (picture: ReactElement, size?: Size) => Promise<void>;
  readonly end: () => void;
}

/** Creates two screens. */
export function stage(size: Size): Stage {
  let { columns, rows } = size;
  const plain = createScreen(columns, rows);
  const composed = createScreen(columns, rows);
  let sent = '';
  const compositor = new Compositor(
    {
      get columns() {
        return columns;
      },
      get rows() {
        return rows;
      },
      write(text, written) {
        sent += text;
        composed.terminal.write(text, written);
      },
    },
    { everyMs: 0, urgentMs: 0 },
  );
  composed.write('\u001B[?7l');
  const sinks = [
    new FrameSink({
      size: () => ({ columns, rows }),
      onFrame: (frame) => plain.write(`\u001B[m\u001B[2J\u001B[H${frame}`),
    }),
    new FrameSink({ size: () => ({ columns, rows }), onFrame: (frame) => compositor.frame(frame) }),
  ];
  const [left, right] = sinks.map((sink) =>
    render(<Box />, { stdout: sink as never, debug: true, interactive: true, patchConsole: false, exitOnCtrlC: false }),
  );
  const settled = async (): Promise<void> => {
    // The paint was deferred to the end of this turn before.
    for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([plain.settled(), composed.settled()]);
  };
  return {
    compositor,
    plain,
    composed,
    sent: () => sent,
    async show(picture, next = { columns, rows }) {
      if (next.columns !== columns || next.rows !== rows) {
        ({ columns, rows } = next);
        for (const screen of [plain, composed]) screen.terminal.resize(columns, rows);
        compositor.repaint();
        for (const sink of sinks) sink.emit('resize');
      }
      sent = '';
      left?.rerender(picture);
      right?.rerender(<CompositorContext value={compositor}>{picture}</CompositorContext>);
      await settled();
    },
    end() {
      left?.unmount();
      right?.unmount();
      compositor.stop();
      plain.terminal.dispose();
      composed.terminal.dispose();
    },
  };
}
