// What the compositor leaves on a terminal is, cell by cell, what plain Ink draws of the same components.
import chalk from 'chalk';
import fc from 'fast-check';
import { Box, render } from 'ink';
import type { ReactElement } from 'react';
import { describe, expect, it } from 'vitest';
import { Runs } from '../../src/components/text.tsx';
import { Compositor } from '../../src/terminal/compositor.ts';
import { FrameSink } from '../../src/terminal/frame-sink.ts';
import { CompositorContext, type Line, Rows } from '../../src/terminal/rows.tsx';
import { createScreen } from './cells.ts';

// Test runs have no terminal of their own, and so no colours.
chalk.level = 3;

interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Everything that is on the screen. */
interface Scene extends Size {
  readonly head: Line;
  readonly foot: Line;
  readonly lines: readonly Line[];
  readonly from: number;
  /** Second region: beside the first one, below it, or none. */
  readonly split: 'beside' | 'below' | 'none';
  readonly share: number;
  readonly other: readonly Line[];
  readonly overlay: null | {
    readonly x: number;
    readonly y: number;
    readonly lines: readonly Line[];
    readonly ground: boolean;
    readonly border: boolean;
    /** A region inside of the overlay. */
    readonly rows: boolean;
  };
}

function Picture(scene: Scene): ReactElement {
  const { columns, rows, head, foot, lines, from, split, share, other, overlay } = scene;
  const height = Math.max(0, rows - 2);
  const first = Math.max(1, Math.floor((split === 'below' ? height : columns) * share));
  const beside = split === 'beside';
  const widths = beside ? [first, Math.max(0, columns - first)] : [columns, columns];
  const heights = split === 'below' ? [first, Math.max(0, height - first)] : [height, height];
  return (
    <Box width={columns} height={rows} flexDirection="column" overflow="hidden">
      <Box height={1}>
        <Runs runs={head} />
      </Box>
      <Box height={height} overflow="hidden" flexDirection={beside ? 'row' : 'column'}>
        <Rows lines={lines.slice(from, from + height)} width={widths[0] ?? 0} height={heights[0] ?? 0} />
        {split !== 'none' && <Rows lines={other} width={widths[1] ?? 0} height={heights[1] ?? 0} />}
      </Box>
      <Box height={1}>
        <Runs runs={foot} />
      </Box>
      {overlay !== null && (
        <Box
          position="absolute"
          marginLeft={Math.min(overlay.x, columns - 1)}
          marginTop={Math.min(overlay.y, rows - 1)}
          width={Math.min(24, columns)}
          flexDirection="column"
          {...(overlay.ground ? { backgroundColor: 'blue' } : {})}
          {...(overlay.border ? { borderStyle: 'round' as const } : {})}
        >
          {overlay.rows ? (
            <Rows lines={overlay.lines} width={12} height={3} />
          ) : (
            overlay.lines.map((line, index) => <Runs key={index} runs={line} />)
          )}
        </Box>
      )}
    </Box>
  );
}

/** The same scene in plain Ink and through the compositor. */
function stage(size: Size) {
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
    // The paint was put off to the end of this turn before this was.
    for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([plain.settled(), composed.settled()]);
  };
  return {
    compositor,
    plain,
    composed,
    sent: () => sent,
    settled,
    async show(scene: Scene): Promise<void> {
      if (scene.columns !== columns || scene.rows !== rows) {
        ({ columns, rows } = scene);
        for (const screen of [plain, composed]) screen.terminal.resize(columns, rows);
        compositor.repaint();
        for (const sink of sinks) sink.emit('resize');
      }
      sent = '';
      left?.rerender(<Picture {...scene} />);
      right?.rerender(
        <CompositorContext value={compositor}>
          <Picture {...scene} />
        </CompositorContext>,
      );
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

const tone = fc.constantFrom('plain', 'muted', 'strong', 'bad', 'selected', 'warning', 'key', undefined);
// Glyphs that this emulator, Ink and we agree on: ASCII, boxes, braille, East Asian, letters with marks.
const grapheme = fc.constantFrom(...'abc xyz 0189 │─▁▇⣿…é ñ 漢字かな한글', 'e\u0301', 'o\u0308\u0323', 'ß', ' ');
const text = fc.array(grapheme, { maxLength: 24 }).map((parts) => parts.join(''));
const line: fc.Arbitrary<Line> = fc.array(fc.record({ text, tone }), { maxLength: 5 });
const scene = (lines: readonly Line[]): fc.Arbitrary<Scene> =>
  fc.record({
    columns: fc.constantFrom(30, 30, 30, 41, 12),
    rows: fc.constantFrom(12, 12, 12, 17, 5),
    head: line,
    foot: line,
    lines: fc.constant(lines),
    from: fc.integer({ min: 0, max: 12 }),
    split: fc.constantFrom('beside', 'below', 'none'),
    share: fc.double({ min: 0.1, max: 0.9, noNaN: true }),
    other: fc.array(line, { maxLength: 8 }),
    overlay: fc.option(
      fc.record({
        x: fc.integer({ min: 0, max: 30 }),
        y: fc.integer({ min: 0, max: 12 }),
        lines: fc.array(line, { minLength: 1, maxLength: 5 }),
        ground: fc.boolean(),
        border: fc.boolean(),
        rows: fc.boolean(),
      }),
    ),
  });
const scenes = fc
  .array(line, { minLength: 20, maxLength: 20 })
  .chain((lines) => fc.array(scene(lines), { minLength: 2, maxLength: 8 }));

const RUNS = Number(process.env['QUARTERDECK_TEST_RUNS'] ?? 40);

describe('the compositor', () => {
  it('shows the same cells as plain Ink', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (list) => {
        const on = stage({ columns: 30, rows: 12 });
        try {
          for (const one of list) {
            await on.show(one);
            expect(on.composed.cells()).toEqual(on.plain.cells());
          }
        } finally {
          on.end();
        }
      }),
      { numRuns: RUNS, seed: 20_261_120 },
    );
  });
});
