// The replacement of Ink's output draws the same cells.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../test/thoroughness.ts';
// Ink does not export this module; the bundle replaces it by this name.
import InkOutput from '../../node_modules/ink/build/output.js';
import { Frame, markText } from '../../src/terminal/frame.ts';
import CellOutput from '../../src/terminal/ink-output.ts';

const WIDTH = 24;
const HEIGHT = 8;

const style = (open: number, close: number) => (text: string) => `\u001B[${open}m${text}\u001B[${close}m`;
const TRANSFORMERS = [style(1, 22), style(31, 39), style(44, 49), style(7, 27)];
const mark = (text: string) => markText(3, text);

const grapheme = fc.constantFrom(...'abc 019│─⣿é漢字かな한글', 'e\u0301', ' ');
const text = fc.array(grapheme, { maxLength: 14 }).map((parts) => parts.join(''));
// Styles as chalk writes them, which may continue on the next line.
const look = fc.constantFrom(['', ''], ['\u001B[2m', '\u001B[22m'], ['\u001B[38;5;9m', '\u001B[39m']);
const styled = fc.tuple(text, look, text).map(([a, [open, close], b]) => `${a}${open}${b}${close}`);
const block = fc
  .tuple(look, fc.array(styled, { minLength: 1, maxLength: 3 }))
  .map(([[open, close], parts]) => `${open}${parts.join('\n')}${close}`);
const edge = (max: number) => fc.option(fc.integer({ min: -2, max: max + 2 }), { nil: undefined });
const operation = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      x: fc.integer({ min: 0, max: WIDTH }),
      y: fc.integer({ min: -2, max: HEIGHT }),
      text: block,
      transformers: fc.subarray(TRANSFORMERS, { maxLength: 2 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      x: fc.integer({ min: 0, max: WIDTH }),
      y: fc.integer({ min: 0, max: HEIGHT }),
      text: fc.integer({ min: 1, max: 12 }).map((columns) => '.'.repeat(columns)),
      transformers: fc.constant([mark]).map((list) => [...list]),
    }),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(edge(WIDTH), edge(WIDTH), edge(HEIGHT), edge(HEIGHT))
      // Ink clips a direction only if both edges are given, as it always does.
      .map(([x1, x2, y1, y2]) => ({
        kind: 'clip' as const,
        clip: {
          x1: x2 === undefined ? undefined : x1,
          x2: x1 === undefined ? undefined : x2,
          y1: y2 === undefined ? undefined : y1,
          y2: y1 === undefined ? undefined : y2,
        },
      })),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unclip' as const) }) },
);

function rowsOf(output: string) {
  const frame = new Frame();
  frame.read(output, WIDTH);
  return Array.from({ length: HEIGHT }, (_, index) => frame.row(index));
}

describe("the replacement of Ink's output", () => {
  it('draws the same cells', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 14 }), (operations) => {
        const outputs = [InkOutput, CellOutput].map((Output) => {
          const output = new Output({ width: WIDTH, height: HEIGHT });
          let depth = 0;
          for (const one of operations) {
            if (one.kind === 'write') output.write(one.x, one.y, one.text, { transformers: [...one.transformers] });
            else if (one.kind === 'clip') {
              output.clip(one.clip);
              depth += 1;
            } else if (depth > 0) {
              output.unclip();
              depth -= 1;
            }
          }
          return output.get();
        });
        const [theirs, ours] = outputs.map(({ output }) => rowsOf(output));
        expect(ours).toEqual(theirs);
      }),
      { numRuns: Number(process.env['QUARTERDECK_TEST_RUNS'] ?? atMost(100, 300)), seed: 8 },
    );
  });
});
