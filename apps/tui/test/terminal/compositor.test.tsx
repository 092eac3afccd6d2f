// The compositor leaves the same cells on a terminal as plain Ink does for the same components.
import fc from 'fast-check';
import { Box } from 'ink';
import type { ReactElement } from 'react';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../test/thoroughness.ts';
import { Rows } from '../../src/components/lines.tsx';
import { Runs } from '../../src/components/text.tsx';
import type { Line } from '../../src/theme/lines.ts';
import { type Size, stage } from './stage.tsx';

/** Content of the screen. */
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
    /** A region inside the overlay. */
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

const tone = fc.constantFrom('plain', 'muted', 'strong', 'bad', 'selected', 'warning', 'key', undefined);
// Glyphs whose width this emulator, Ink and we agree on: ASCII, boxes, braille, East Asian, letters with marks.
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

const RUNS = Number(process.env['QUARTERDECK_TEST_RUNS'] ?? atMost(5, 40));

describe('the compositor', () => {
  it('shows the same cells as plain Ink', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (list) => {
        const on = stage({ columns: 30, rows: 12 });
        try {
          for (const one of list) {
            await on.show(<Picture {...one} />, one);
            expect(on.composed.cells()).toEqual(on.plain.cells());
          }
        } finally {
          on.end();
        }
      }),
      { numRuns: RUNS, seed: 20_261_120 },
    );
  });

  const numbered = (from: number, count: number): Line[] =>
    Array.from({ length: count }, (_, index) => [{ text: `row ${from + index} of a log that goes on and on` }]);
  const LIST = { columns: 60, rows: 20 };
  const list = (lines: readonly Line[]): ReactElement => <Rows lines={lines} width={60} height={20} />;

  it('scrolls rows that moved', async () => {
    const on = stage(LIST);
    await on.show(list(numbered(0, 20)));
    for (const from of [1, 2, 5, 4, 1]) {
      await on.show(list(numbered(from, 20)));
      expect(on.composed.cells()).toEqual(on.plain.cells());
      // Sends at most four new rows for a scroll, not all twenty.
      expect(on.sent().match(/of a log/g)?.length ?? 0).toBeLessThanOrEqual(4);
    }
    on.end();
  });

  it('scrolls a list between fixed rows, but not the region beside it', async () => {
    const on = stage(LIST);
    const picture = (from: number): ReactElement => (
      <Box flexDirection="column">
        <Rows lines={[[{ text: 'head' }]]} width={60} height={1} />
        <Box>
          <Rows lines={numbered(from, 18)} width={30} height={18} />
          <Rows lines={numbered(100, 18)} width={30} height={18} />
        </Box>
        <Rows lines={[[{ text: 'foot' }]]} width={60} height={1} />
      </Box>
    );
    for (const from of [0, 1, 3, 2]) {
      await on.show(picture(from));
      expect(on.composed.cells()).toEqual(on.plain.cells());
    }
    on.end();
  });

  it('writes nothing without a change', async () => {
    const on = stage(LIST);
    await on.show(list(numbered(0, 20)));
    await on.show(list(numbered(0, 20)));
    expect(on.sent()).toBe('');
    on.end();
  });

  it('writes everything again on a repaint', async () => {
    const on = stage(LIST);
    await on.show(list(numbered(0, 20)));
    on.composed.write('\u001B[2J\u001B[5;5Hsomething else');
    on.compositor.repaint();
    await on.show(list(numbered(0, 20)));
    expect(on.composed.cells()).toEqual(on.plain.cells());
    on.end();
  });

  it('keeps the next glyph in its column after a glyph drawn narrower than reserved', async () => {
    const on = stage(LIST);
    const line = (end: string): Line => [{ text: '👍🏽 🇩🇪 ☀ ' }, { text: end, tone: 'bad' }];
    const column = (): number => on.composed.text()[0]?.indexOf('end') ?? -1;
    await on.show(list([[{ text: 'x'.repeat(60) }]]));
    await on.show(list([line('end')]));
    const [first = ''] = on.composed.cells();
    expect(first).not.toContain('x');
    const before = column();
    await on.show(list([line('end!')]));
    expect(column()).toBe(before);
    on.end();
  });
});
