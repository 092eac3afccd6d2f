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

const DOTS = [
  [0, 0],
  [0, 1],
  [0, 2],
  [1, 0],
  [1, 1],
  [1, 2],
  [0, 3],
  [1, 3],
] as const;

/** Corners: whether they go to the right, and down. */
const CORNERS: Readonly<Record<string, readonly [right: boolean, down: boolean]>> = {
  '╭': [true, true],
  '┌': [true, true],
  '╮': [false, true],
  '╰': [true, false],
  '╯': [false, false],
};

/** The outline of a glyph that is drawn; null where it is left to the font. */
function shape(character: string, x: number, y: number): string | null {
  const { width, height } = CELL;
  const rect = (dx: number, dy: number, w: number, h: number): string =>
    `M${at(x + dx)} ${at(y + dy)}h${at(w)}v${at(h)}h${at(-w)}z`;
  const up = EIGHTHS.indexOf(character);
  if (up > 0) return rect(0, height - (height * up) / 8, width, (height * up) / 8);
  const left = LEFTS.indexOf(character);
  if (left > 0) return rect(0, 0, (width * left) / 8, height);
  const code = character.codePointAt(0) ?? 0;
  if (code > 0x2800 && code <= 0x28ff) {
    return DOTS.filter((_, bit) => ((code - 0x2800) >> bit) & 1)
      .map(([dx, dy]) => rect(0.9 + dx * 4.2, 1.2 + dy * 4.5, 2.5, 2.5))
      .join('');
  }
  const corner = CORNERS[character];
  if (corner !== undefined) {
    const [right, down] = corner;
    const across = right
      ? rect(width / 2 - 0.5, height / 2 - 0.5, width / 2 + 0.5, 1)
      : rect(0, height / 2 - 0.5, width / 2 + 0.5, 1);
    return across + (down ? rect(width / 2 - 0.5, height / 2, 1, height / 2) : rect(width / 2 - 0.5, 0, 1, height / 2));
  }
  if (character === '━') return rect(0, height / 2 - 1.5, width, 3);
  if (character === '╸') return rect(0, height / 2 - 1.5, width / 2, 3);
  if (character === '─') return rect(0, height / 2 - 0.5, width, 1);
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
  const text = [...run.text]
    .map((character, index) => {
      const drawn = run.isWide ? null : shape(character, x + index * CELL.width, y);
      if (drawn === null) return character === '⠀' ? ' ' : character;
      shapes += drawn;
      return ' ';
    })
    .join('');
  const opacity = run.dim ? ` opacity="${DIM}"` : '';
  const drawn = shapes === '' ? '' : `<path d="${shapes}" fill="${fill}"${opacity}/>`;
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
    `<rect width="100%" height="100%" rx="8" fill="${surface.background}"/>`,
    `<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="${CELL.font}" xml:space="preserve">`,
    ...drawn.filter((row) => row !== ''),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}
