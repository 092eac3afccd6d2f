// Converts the cells of a terminal to an SVG picture. Text stays text: each word is one element at its own column,
// because browsers collapse blanks and fonts differ in width. Pure.

/** Style of a cell. Colours are `#rrggbb`; undefined is the terminal's default. */
export interface CellLook {
  readonly color: string | undefined;
  readonly background: string | undefined;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly underline: boolean;
}

/** One cell: its text, its width in columns (0: the second half of a wide glyph), and its style. */
export interface PictureCell extends CellLook {
  readonly text: string;
  readonly columns: number;
}

/** The terminal around the cells. */
export interface Surface {
  readonly color: string;
  readonly background: string;
}

/** Size of a cell, of its font, and the height of the base line, in pixels. */
export const CELL = { width: 8.4, height: 18, font: 14, base: 13.5 } as const;
/** Space around the cells, in pixels. */
export const MARGIN = 14;
const DIM = 0.6;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const at = (n: number): string => String(Math.round(n * 100) / 100);
const sameLook = (a: CellLook, b: CellLook): boolean =>
  a.color === b.color &&
  a.background === b.background &&
  a.bold === b.bold &&
  a.dim === b.dim &&
  a.underline === b.underline;

interface Run extends CellLook {
  /** One entry for each column; a wide glyph is a run of its own. */
  readonly glyphs: string[];
  readonly column: number;
  readonly columns: number;
}

/** Groups neighbouring cells that look alike. */
function runsOf(cells: readonly PictureCell[]): Run[] {
  const runs: Run[] = [];
  for (const [column, cell] of cells.entries()) {
    if (cell.columns === 0) continue;
    const glyph = cell.text || ' ';
    const last = runs.at(-1);
    if (last?.columns === 1 && cell.columns === 1 && sameLook(last, cell)) last.glyphs.push(glyph);
    else runs.push({ ...cell, glyphs: [glyph], column });
  }
  return runs;
}

/** A word and the column of its first glyph. */
interface Word {
  text: string;
  readonly column: number;
}

/** Words of a row of glyphs, split at blanks. */
function wordsOf(glyphs: readonly string[]): Word[] {
  const words: Word[] = [];
  for (const [column, glyph] of glyphs.entries()) {
    if (glyph === ' ') continue;
    const last = words.at(-1);
    if (last !== undefined && column > 0 && glyphs[column - 1] !== ' ') last.text += glyph;
    else words.push({ text: glyph, column });
  }
  return words;
}

// Blocks and lines are drawn as paths, because fonts leave gaps between them and a terminal does not.
const EIGHTHS = ' ▁▂▃▄▅▆▇█';
const LEFTS = ' ▏▎▍▌▋▊▉█';

/** Bits of a braille character: left column, then right column, each from the top. */
const DOTS = [
  [0, 1, 2, 6],
  [3, 4, 5, 7],
] as const;
/** A column of braille dots is drawn as one dashed line. */
const DOT = { size: 2.5, step: 4.5, across: 4.2 } as const;

/** Directions of the two arms of a corner: `right` else left, `down` else up. */
const CORNERS: Readonly<Record<string, readonly [right: boolean, down: boolean]>> = {
  '╭': [true, true],
  '┌': [true, true],
  '╮': [false, true],
  '╰': [true, false],
  '╯': [false, false],
};

/** Path through the dots of a braille character; null for any other character. */
function dots(character: string, x: number, y: number): string | null {
  const bits = (character.codePointAt(0) ?? 0) - 0x2800;
  if (bits <= 0 || bits > 0xff) return null;
  let lines = '';
  for (const [column, rows] of DOTS.entries()) {
    for (let from = 0; from < rows.length; from += 1) {
      let to = from;
      while (to < rows.length && (bits >> (rows[to] ?? 0)) & 1) to += 1;
      if (to === from) continue;
      const length = (to - from - 1) * DOT.step + DOT.size;
      lines += `M${at(x + 2.2 + column * DOT.across)} ${at(y + 1.2 + from * DOT.step)}v${at(length)}`;
      from = to;
    }
  }
  return lines;
}

/** Characters that join without a gap: a run of them is drawn as one shape. */
const LONG = '─━█';

/** Outline of a glyph, repeated `times`; null where the font draws it. */
function shape(character: string, x: number, y: number, times = 1): string | null {
  const { width, height } = CELL;
  const rect = (dx: number, dy: number, w: number, h: number): string =>
    `M${at(x + dx)} ${at(y + dy)}h${at(w)}v${at(h)}h${at(-w)}z`;
  const up = EIGHTHS.indexOf(character);
  if (up > 0) return rect(0, height - (height * up) / 8, width * times, (height * up) / 8);
  const left = LEFTS.indexOf(character);
  if (left > 0) return rect(0, 0, (width * left) / 8, height);
  const corner = CORNERS[character];
  if (corner !== undefined) {
    const [right, down] = corner;
    const across = right
      ? rect(width / 2 - 0.5, height / 2 - 0.5, width / 2 + 0.5, 1)
      : rect(0, height / 2 - 0.5, width / 2 + 0.5, 1);
    return across + (down ? rect(width / 2 - 0.5, height / 2, 1, height / 2) : rect(width / 2 - 0.5, 0, 1, height / 2));
  }
  if (character === '━') return rect(0, height / 2 - 1.5, width * times, 3);
  if (character === '╸') return rect(0, height / 2 - 1.5, width / 2, 3);
  if (character === '─') return rect(0, height / 2 - 0.5, width * times, 1);
  if (character === '│') return rect(width / 2 - 0.5, 0, 1, height);
  if (character === '┃') return rect(width / 2 - 1, 0, 2, height);
  return null;
}

function drawRun(run: Run, y: number, surface: Surface): string {
  const x = MARGIN + run.column * CELL.width;
  const width = run.glyphs.length * run.columns * CELL.width;
  const fill = run.color ?? surface.color;
  const back =
    run.background === undefined
      ? ''
      : `<rect x="${at(x)}" y="${at(y)}" width="${at(width + 0.2)}" height="${CELL.height}" fill="${run.background}"/>`;
  let shapes = '';
  let dotted = '';
  const lettered = run.glyphs.map((glyph, index) => {
    const from = x + index * CELL.width;
    const lines = dots(glyph, from, y);
    dotted += lines ?? '';
    if (lines !== null || glyph === '⠀') return ' ';
    const isLong = LONG.includes(glyph);
    if (isLong && run.glyphs[index - 1] === glyph) return ' ';
    let times = 1;
    while (isLong && run.glyphs[index + times] === glyph) times += 1;
    const drawn = shape(glyph, from, y, times);
    shapes += drawn ?? '';
    return drawn === null ? glyph : ' ';
  });
  const opacity = run.dim ? ` opacity="${DIM}"` : '';
  const weight = run.bold ? ' font-weight="bold"' : '';
  const line = run.underline ? ' text-decoration="underline"' : '';
  const looks = `y="${at(y + CELL.base)}" fill="${fill}"${weight}${line}${opacity}`;
  return [
    back,
    shapes === '' ? '' : `<path d="${shapes}" fill="${fill}"${opacity}/>`,
    dotted === '' ? '' : `<path class="d" d="${dotted}" stroke="${fill}"${opacity}/>`,
    ...wordsOf(lettered).map(
      ({ text, column }) => `<text x="${at(x + column * CELL.width)}" ${looks}>${escaped(text)}</text>`,
    ),
  ].join('');
}

/** SVG of a screen. Screen readers read the title. */
export function svgOf(rows: readonly (readonly PictureCell[])[], surface: Surface, title: string): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const width = columns * CELL.width + 2 * MARGIN;
  const height = rows.length * CELL.height + 2 * MARGIN;
  const drawn = rows.map((row, index) =>
    runsOf(row)
      .map((run) => drawRun(run, MARGIN + index * CELL.height, surface))
      .join(''),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${at(width)} ${at(height)}" width="${at(width)}" height="${at(height)}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>.d{fill:none;stroke-width:${DOT.size};stroke-dasharray:${DOT.size} ${DOT.step - DOT.size}}</style>`,
    `<rect width="100%" height="100%" rx="8" fill="${surface.background}"/>`,
    `<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="${CELL.font}">`,
    ...drawn.filter((row) => row !== ''),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}
