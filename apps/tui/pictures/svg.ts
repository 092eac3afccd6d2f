// Cells of a terminal as an SVG picture: text stays text, each run of cells that look alike is one element. Pure.

/** How a cell looks. Colours as `#rrggbb`; undefined is the terminal's own. */
export interface CellLook {
  readonly color: string | undefined;
  readonly background: string | undefined;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly underline: boolean;
}

/** One cell: what is in it, how many columns it takes (0: the second half of a wide glyph), and how it looks. */
export interface PictureCell extends CellLook {
  readonly text: string;
  readonly columns: number;
}

/** The terminal around the cells. */
export interface Surface {
  readonly color: string;
  readonly background: string;
}

const CELL = { width: 8.4, height: 18, font: 14, base: 13.5 } as const;
const MARGIN = 14;
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
  text: string;
  readonly column: number;
  columns: number;
  /** Wide glyphs stand alone, so that the ones after them are in their columns. */
  readonly isWide: boolean;
}

function runsOf(cells: readonly PictureCell[]): Run[] {
  const runs: Run[] = [];
  for (const [column, cell] of cells.entries()) {
    if (cell.columns === 0) continue;
    const last = runs.at(-1);
    const isWide = cell.columns > 1;
    if (last !== undefined && !isWide && !last.isWide && sameLook(last, cell)) {
      last.text += cell.text || ' ';
      last.columns += 1;
    } else runs.push({ ...cell, text: cell.text || ' ', column, isWide });
  }
  return runs;
}

// Blocks and lines are drawn: fonts leave gaps between them, a terminal does not.
const EIGHTHS = ' ▁▂▃▄▅▆▇█';
const LEFTS = ' ▏▎▍▌▋▊▉█';

/** Bits of a braille character, from the top: of its left column and of its right one. */
const DOTS = [
  [0, 1, 2, 6],
  [3, 4, 5, 7],
] as const;
/** A column of dots is one line, broken between them. */
const DOT = { size: 2.5, step: 4.5, across: 4.2 } as const;

/** Corners: whether they go to the right, and down. */
const CORNERS: Readonly<Record<string, readonly [right: boolean, down: boolean]>> = {
  '╭': [true, true],
  '┌': [true, true],
  '╮': [false, true],
  '╰': [true, false],
  '╯': [false, false],
};

/** Lines through the dots of a braille character; null for any other. */
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

/** Characters that go on without a gap: many of them are one longer one. */
const LONG = '─━█';

/** The outline of a glyph that is drawn, so many times; null where it is left to the font. */
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
  const width = run.columns * CELL.width;
  const fill = run.color ?? surface.color;
  const back =
    run.background === undefined
      ? ''
      : `<rect x="${at(x)}" y="${at(y)}" width="${at(width + 0.2)}" height="${CELL.height}" fill="${run.background}"/>`;
  let shapes = '';
  let dotted = '';
  const characters = [...run.text];
  const text = characters
    .map((character, index) => {
      if (run.isWide) return character;
      const from = x + index * CELL.width;
      const lines = dots(character, from, y);
      dotted += lines ?? '';
      if (lines !== null || character === '⠀') return ' ';
      const isLong = LONG.includes(character);
      if (isLong && characters[index - 1] === character) return ' ';
      let times = 1;
      while (isLong && characters[index + times] === character) times += 1;
      const drawn = shape(character, from, y, times);
      shapes += drawn ?? '';
      return drawn === null ? character : ' ';
    })
    .join('');
  const opacity = run.dim ? ` opacity="${DIM}"` : '';
  const drawn =
    (shapes === '' ? '' : `<path d="${shapes}" fill="${fill}"${opacity}/>`) +
    (dotted === '' ? '' : `<path class="d" d="${dotted}" stroke="${fill}"${opacity}/>`);
  if (text.trim() === '') return back + drawn;
  const weight = run.bold ? ' font-weight="bold"' : '';
  const line = run.underline ? ' text-decoration="underline"' : '';
  return (
    `${back}${drawn}<text x="${at(x)}" y="${at(y + CELL.base)}" textLength="${at(width)}" fill="${fill}"` +
    `${weight}${line}${opacity}>${escaped(text)}</text>`
  );
}

/** The picture of a screen, with a title for who cannot see it. */
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
    `<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="${CELL.font}" xml:space="preserve">`,
    ...drawn.filter((row) => row !== ''),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}
