// Renders pictures in Chromium and compares the position of every word with the columns of the terminal.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { findProgram } from '../../../test/programs.ts';
import { CELL, MARGIN, type PictureCell, svgOf } from '../pictures/svg.ts';
import { width } from '../src/text/width.ts';

const chromium = findProgram('chromium');

/** A word of a rendered picture: its first column and the column behind it, as fractions. */
interface RenderedWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Runs in the browser: writes the words of all pictures into the page. */
const MEASURE = `
  const words = [...document.querySelectorAll('svg')].map((svg) =>
    [...svg.querySelectorAll('text')].map((text) => ({
      text: text.textContent,
      start: text.getStartPositionOfChar(0).x,
      end: text.getEndPositionOfChar(text.getNumberOfChars() - 1).x,
    })));
  document.body.textContent = encodeURIComponent(JSON.stringify(words));
`;

/** Words of pictures as Chromium renders them. */
async function render(pictures: readonly string[]): Promise<RenderedWord[][]> {
  const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-pictures-'));
  try {
    const page = join(folder, 'page.html');
    writeFileSync(page, `<!doctype html><meta charset="utf-8"><body>${pictures.join('')}<script>${MEASURE}</script>`);
    const options = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${folder}`, '--dump-dom'];
    const { stdout } = await promisify(execFile)(chromium ?? '', [...options, `file://${page}`], { maxBuffer: 1e8 });
    const dumped = decodeURIComponent(/<body>([^<]*)/.exec(stdout)?.[1] ?? '');
    const columnOf = (x: number): number => (x - MARGIN) / CELL.width;
    return (JSON.parse(dumped) as RenderedWord[][]).map((words) =>
      words.map(({ text, start, end }) => ({ text, start: columnOf(start), end: columnOf(end) })),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const docs = new URL('../../../docs/', import.meta.url);
const shown = (name: string): string => readFileSync(new URL(`pictures/${name}.svg`, docs), 'utf8');

/** Cells of a row of text; a wide glyph takes two of them. */
function cellsOf(text: string): PictureCell[] {
  const look = { color: undefined, background: undefined, bold: false, dim: false, underline: false };
  return [...text].flatMap((glyph): PictureCell[] => [
    { text: glyph, columns: width(glyph), ...look },
    ...(width(glyph) === 2 ? [{ text: '', columns: 0, ...look }] : []),
  ]);
}

describe.skipIf(chromium === undefined)('a picture in a browser', () => {
  it('shows each word in its column', async () => {
    const surface = { color: '#ffffff', background: '#000000' };
    const drawn = svgOf([cellsOf('  Time   Level'), cellsOf('│ 語 <a> ⠇x')], surface, 'a test');
    const [drawnWords = [], ...shownWords] = await render([drawn, shown('overview-120x40'), shown('palette-80x24')]);

    expect(drawnWords.map(({ text, start }) => [text, Math.round(start * 100) / 100])).toEqual([
      ['Time', 2],
      ['Level', 9],
      ['語', 2],
      ['<a>', 5],
      ['x', 10],
    ]);
    for (const words of shownWords) {
      expect(words.length).toBeGreaterThan(50);
      for (const { text, start, end } of words) {
        expect(text).toMatch(/^\S+$/);
        expect(Math.abs(start - Math.round(start)), text).toBeLessThan(0.01);
        expect(Math.abs(end - start - width(text)), text).toBeLessThan(0.5);
      }
    }
  });
});

describe('docs/pictures', () => {
  it('has the pictures that documents show, and no others', () => {
    const documents = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
    const text = ['../README.md', ...documents].map((name) => readFileSync(new URL(name, docs), 'utf8')).join('\n');
    const linked = new Set([...text.matchAll(/pictures\/([^)]+\.(?:svg|png))\)/g)].map((match) => match[1]));
    expect(readdirSync(new URL('pictures/', docs)).sort()).toEqual([...linked].sort());
  });
});
