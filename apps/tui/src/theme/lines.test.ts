import { clean } from '@quarterdeck/views/text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boxLines } from './box.ts';
import { beside, fitLine, highlight, type Line, lineWidth, sliceLine, spread } from './lines.ts';

const textOf = (line: Line): string => line.map(({ text }) => text).join('');
const anyLine = fc
  .array(fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom('東京', '👩‍💻', 'a', ' ', '…', '─')), { maxLength: 6 })
  .map((parts): Line => parts.map((text) => ({ text: clean(text) })));

describe('rows', () => {
  it('take exactly the columns they are fitted to, whatever is in them', () => {
    fc.assert(
      fc.property(anyLine, fc.nat(40), (line, columns) => {
        expect(lineWidth(fitLine(line, columns))).toBe(columns);
      }),
    );
  });

  it('are never wider than the requested part', () => {
    fc.assert(
      fc.property(anyLine, fc.nat(30), fc.nat(30), (line, from, columns) => {
        expect(lineWidth(sliceLine(line, from, columns))).toBeLessThanOrEqual(columns);
      }),
    );
  });

  it.each([
    [0, 5, 'abcde'],
    [2, 3, 'cde'],
    [4, 4, 'efgh'],
    [9, 4, ''],
  ])('are cut out from %i for %i columns: "%s"', (from, columns, text) => {
    expect(textOf(sliceLine([{ text: 'abc' }, { text: 'defgh' }], from, columns))).toBe(text);
  });

  it('show a blank for the half of a wide glyph', () => {
    expect(textOf(sliceLine([{ text: '東京x' }], 1, 4))).toBe(' 京x');
  });

  it('mark a cut, also between two runs', () => {
    expect(textOf(fitLine([{ text: 'abc' }, { text: 'def' }], 3))).toBe('ab…');
    expect(textOf(fitLine([{ text: 'abc' }, { text: 'def' }], 5))).toBe('abcd…');
  });

  it('have two ends, and stand side by side', () => {
    expect(textOf(spread([{ text: 'left' }], [{ text: 'right' }], 12))).toBe('left   right');
    expect(textOf(spread([{ text: 'left' }], [{ text: 'right' }], 7))).toBe('l…right');
    const blocks = beside(
      [
        { lines: [[{ text: 'a' }]], width: 2 },
        { lines: [[{ text: 'b' }], [{ text: 'c' }]], width: 1 },
      ],
      1,
    );
    expect(blocks.map(textOf)).toEqual(['a  b', '   c']);
  });

  it('show matches in their own tone', () => {
    const find = () => [
      { from: 2, to: 6 },
      { from: 13, to: 17 },
    ];
    const runs = highlight({ text: 'a timeout, a timeout', tone: 'muted' }, find, 'hit');
    expect(runs.map(({ text, tone }) => `${tone}:${text}`)).toEqual([
      'muted:a ',
      'hit:time',
      'muted:out, a ',
      'hit:time',
      'muted:out',
    ]);
    expect(highlight({ text: 'x' }, undefined, 'hit')).toEqual([{ text: 'x' }]);
  });

  it('have a frame of exactly its width', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), anyLine, fc.integer({ min: 8, max: 60 }), (title, note, line, width) => {
        const box = boxLines([line], { title: clean(title), note: clean(note), width });
        expect(box.filter((row) => lineWidth(row) !== width)).toEqual([]);
      }),
    );
  });
});
