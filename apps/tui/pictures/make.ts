// Draws pictures of the built dashboard on its demo: runs it in a real pty and writes its cells as SVG. The pictures
// that documents show go to docs/pictures, all others to `all/` beside this file, which Git ignores.
// Usage: node make.ts [all | <columns>x<rows>-<colors>]...
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import xterm from '@xterm/headless';
import { spawn } from 'node-pty';
import { type PictureCell, type Surface, svgOf } from './svg.ts';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const DOCS = fileURLToPath(new URL('../../../docs/pictures/', import.meta.url));
const ALL = fileURLToPath(new URL('all/', import.meta.url));
/** Pictures that README.md and docs/ show. */
const SHOWN: ReadonlySet<string> = new Set([
  'agent-120x40-light',
  'agent-history-120x40',
  'changes-120x40',
  'error-120x40',
  'facets-200x60',
  'lines-120x40',
  'menu-80x24',
  'overview-120x40',
  'palette-80x24',
]);
/** Longest wait for a screen. */
const SCREEN_WAIT_MAX_MS = 20_000;
/** A screen is complete after this long without a change. */
const QUIET_MS = 400;

const DARK: Surface = { color: '#d5dbe2', background: '#12161c' };
const LIGHT: Surface = { color: '#1f2328', background: '#ffffff' };

/** The sixteen colours of a terminal. */
const SIXTEEN = [
  '#3b4252',
  '#e06c75',
  '#98c379',
  '#e5c07b',
  '#61afef',
  '#c678dd',
  '#56b6c2',
  '#abb2bf',
  '#5c6370',
  '#ff7b86',
  '#b5e890',
  '#ffd68a',
  '#7fc1ff',
  '#e29cf0',
  '#7fd6e0',
  '#ffffff',
]; // prettier-ignore

type Look = 'dark' | 'light' | 'none';

/** A screen, the keys that open it after the screen before, and the text to wait for after each step. */
interface Shot {
  readonly name: string;
  readonly steps: readonly (readonly [keys: string, sees: RegExp])[];
}

const ESCAPE = '\u001B';
const SIZES = [
  [80, 24],
  [120, 40],
  [200, 60],
] as const;
const LOOKS: readonly Look[] = ['dark', 'light', 'none'];

const SHOTS: readonly Shot[] = [
  { name: 'overview', steps: [[':overview\r', /Sources/]] },
  { name: 'errors', steps: [[':logs\r', /now[\s\S]*Time +Level/]] },
  {
    name: 'error',
    steps: [
      [']e', /▌[^\n]*(?:ERROR|CRIT|ALERT|EMERG)/],
      ['\r', /first seen/],
    ],
  },
  {
    name: 'facets',
    steps: [
      ['x', /Level {10,}│/],
      ['\t', /▌/],
    ],
  },
  { name: 'mute', steps: [['M', /Mute group/]] },
  { name: 'agents', steps: [[`${ESCAPE}:agents\r`, /Host/]] },
  {
    name: 'agent',
    steps: [
      [':agents /edge -sin\r', /▌ ● online +edge-fra-1/],
      ['\r', /Reports every/],
    ],
  },
  {
    name: 'agent-history',
    steps: [[']]]]]]', /\[history\][\s\S]*(agent restarted|◇ registered)/]],
  },
  {
    name: 'agent-facets',
    steps: [
      [ESCAPE, /\d of \d/],
      ['x', /Environment/],
      ['\t', /▌/],
    ],
  },
  {
    name: 'operate',
    steps: [
      [ESCAPE, /\d of \d/],
      ['O', /Start within/],
    ],
  },
  { name: 'enrollment', steps: [[`${ESCAPE}:enrollment\r`, /Used +Expires/]] },
  { name: 'enrollment-new', steps: [['a', /New enrollment token/]] },
  { name: 'operations', steps: [[`${ESCAPE}:operations\r`, /Progress/]] },
  { name: 'operation', steps: [['\r', /Requested/]] },
  { name: 'kernels', steps: [[`${ESCAPE}:kernels\r`, /Pattern/]] },
  { name: 'outages', steps: [[':outages\r', /Went silent/]] },
  { name: 'outage', steps: [['\r', /Some hosts still away/]] },
  { name: 'tokens', steps: [[`${ESCAPE}:tokens\r`, /Expires/]] },
  {
    name: 'token',
    steps: [
      ['a', /New API token/],
      ['deploy of eu hosts', /deploy of eu hosts/],
    ],
  },
  { name: 'users', steps: [[`${ESCAPE}:users\r`, /Username/]] },
  { name: 'audit', steps: [[':audit\r', /Action/]] },
  { name: 'account', steps: [[':account\r', /Session/]] },
  { name: 'messages', steps: [[':messages\r', /Messages/]] },
  { name: 'requests', steps: [[':requests\r', /Result/]] },
  { name: 'profiles', steps: [[':profiles\r', /Address/]] },
  { name: 'settings', steps: [[':settings\r', /braille/]] },
  { name: 'info', steps: [[':info\r', /Info/]] },
  {
    name: 'lines',
    steps: [[':lines service:nginx upstream:*\r', /following[\s\S]*Time [^\n]*client/]],
  },
  { name: 'menu', steps: [['g', /Esc cancels/]] },
  {
    name: 'palette',
    steps: [
      [`${ESCAPE}:logs\r`, /Time +Level/],
      ['\u0010', /Find a command/],
      ['mute', /Mute/],
    ],
  },
  {
    name: 'help',
    steps: [
      [ESCAPE, /Time +Level/],
      ['?', /type to search/],
    ],
  },
  {
    name: 'changes',
    steps: [
      [ESCAPE, /│ +Time +Level/],
      ['x', /\n +Time +Level/],
      [':logs /sendfile\r', /1 of \d\b/],
      ['c', /A strong cause/],
    ],
  },
];

const hex = (value: number): string => `#${value.toString(16).padStart(6, '0')}`;

function color256(n: number): string {
  if (n < 16) return SIXTEEN[n] ?? '#000000';
  if (n >= 232) return hex((8 + (n - 232) * 10) * 0x01_01_01);
  const at = n - 16;
  const steps = [0, 95, 135, 175, 215, 255];
  const part = (index: number): number => steps[index] ?? 0;
  return hex((part(Math.floor(at / 36)) << 16) + (part(Math.floor(at / 6) % 6) << 8) + part(at % 6));
}

function cellsOf(terminal: xterm.Terminal, surface: Surface): PictureCell[][] {
  const buffer = terminal.buffer.active;
  return Array.from({ length: terminal.rows }, (_, row) => {
    const line = buffer.getLine(row);
    return Array.from({ length: terminal.cols }, (__, column): PictureCell => {
      const cell = line?.getCell(column);
      const own = { color: undefined, background: undefined, bold: false, dim: false, underline: false };
      if (cell === undefined) return { text: ' ', columns: 1, ...own };
      const fg = cell.isFgRGB() ? hex(cell.getFgColor()) : cell.isFgPalette() ? color256(cell.getFgColor()) : undefined;
      const bg = cell.isBgRGB() ? hex(cell.getBgColor()) : cell.isBgPalette() ? color256(cell.getBgColor()) : undefined;
      const inverse = cell.isInverse() !== 0;
      return {
        text: cell.getChars(),
        columns: cell.getWidth(),
        color: inverse ? (bg ?? surface.background) : fg,
        background: inverse ? (fg ?? surface.color) : bg,
        bold: cell.isBold() !== 0,
        dim: cell.isDim() !== 0,
        underline: cell.isUnderline() !== 0,
      };
    });
  });
}

const pictureName = (screen: string, columns: number, rows: number, look: Look): string =>
  `${screen}-${columns}x${rows}${look === 'dark' ? '' : `-${look}`}`;

/** Draws all screens in one window, in order. */
async function draw(
  columns: number,
  rows: number,
  look: Look,
  save: (name: string, picture: string) => void,
): Promise<void> {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 0 });
  const colors =
    look === 'none' ? { NO_COLOR: '1' } : { COLORTERM: 'truecolor', COLORFGBG: look === 'light' ? '0;15' : '15;0' };
  const inherited = { ...process.env };
  delete inherited['NO_COLOR'];
  const pty = spawn(process.execPath, [MAIN, '--demo'], {
    cols: columns,
    rows,
    name: 'xterm-256color',
    env: { ...inherited, TZ: 'UTC', LC_ALL: 'C.UTF-8', FORCE_COLOR: look === 'none' ? '1' : '3', ...colors },
  });
  let changedAt = Date.now();
  pty.onData((data) => {
    changedAt = Date.now();
    terminal.write(data);
  });
  const text = (): string =>
    Array.from({ length: rows }, (__, row) => terminal.buffer.active.getLine(row)?.translateToString(true) ?? '').join(
      '\n',
    );
  const see = async (wanted: RegExp): Promise<void> => {
    const until = Date.now() + SCREEN_WAIT_MAX_MS;
    while (!wanted.test(text()) || Date.now() - changedAt < QUIET_MS) {
      if (Date.now() > until) throw new Error(`never saw ${wanted} in:\n${text()}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const surface = look === 'light' ? LIGHT : DARK;
  try {
    await see(/● live/);
    for (const { name, steps } of SHOTS) {
      for (const [keys, sees] of steps) {
        pty.write(keys);
        await see(sees);
      }
      const picture = pictureName(name, columns, rows, look);
      const title = `The dashboard in a terminal: ${picture.replaceAll('-', ' ')}`;
      save(picture, svgOf(cellsOf(terminal, surface), surface, title));
    }
  } finally {
    pty.kill();
    terminal.dispose();
  }
}

const asked = process.argv.slice(2);
for (const folder of [DOCS, ...(asked.length > 0 ? [ALL] : [])]) mkdirSync(folder, { recursive: true });

/** Returns whether the arguments of this run ask for the picture. */
const isAsked = (window: string, picture: string): boolean =>
  asked.length === 0 ? SHOWN.has(picture) : asked.some((one) => one === 'all' || window.startsWith(one));

for (const [columns, rows] of SIZES) {
  for (const look of LOOKS) {
    const window = `${columns}x${rows}-${look}`;
    const pictures = SHOTS.map(({ name }) => pictureName(name, columns, rows, look));
    if (!pictures.some((picture) => isAsked(window, picture))) continue;
    await draw(columns, rows, look, (picture, svg) => {
      if (isAsked(window, picture)) writeFileSync(`${SHOWN.has(picture) ? DOCS : ALL}${picture}.svg`, svg);
    });
    process.stdout.write(`${window}\n`);
  }
}
