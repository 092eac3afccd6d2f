// Styles by meaning. Components name tones; the theme maps tones to styles.
import type { Look } from '../terminal/index.ts';
import { DARK, LIGHT, type Palette, SELECTED_SIXTEEN, SIXTEEN } from './palettes.ts';

/** Meaning of a piece of text. */
export type BaseTone = keyof typeof WEIGHTS;

/** Background of a text: the selected row, or a marked row. */
export type Ground = 'selected' | 'marked';

/** Meaning and background. */
export type Tone = BaseTone | `${BaseTone}@${Ground}`;

/** Styles of all tones. */
export type Theme = Readonly<Record<Tone, Look>>;

/** Names of the themes. `terminal` uses the terminal's own sixteen colours; `none` uses no colours. */
export const THEMES = ['auto', 'terminal', 'dark', 'light', 'none'] as const;

/** Number of colours of the terminal. */
export type Depth = 16 | 256 | 'true';

// Styles without colour: weight replaces colour.
const WEIGHTS = {
  plain: {},
  muted: { dimColor: true },
  faint: { dimColor: true },
  strong: { bold: true },
  title: { bold: true },
  key: { bold: true },
  accent: { bold: true },
  /** The frame of the part that has the keys. */
  here: { bold: true },
  good: {},
  notice: {},
  warning: {},
  bad: { bold: true },
  worst: { bold: true },
  /** Parts of messages that differ from one occurrence of an error to the next. */
  number: {},
  address: {},
  path: {},
  quoted: {},
  hit: { underline: true },
  selected: { inverse: true },
  caret: { inverse: true },
  /** A QR code: its light modules are drawn. */
  code: {},
  badge: { inverse: true },
  badgeRed: { inverse: true, bold: true },
  badgeYellow: { inverse: true, bold: true },
  badgeGreen: { inverse: true, bold: true },
  badgeBlue: { inverse: true, bold: true },
} satisfies Record<string, Look>;

const BASE_TONES = Object.keys(WEIGHTS) as BaseTone[];

/** Returns a tone on a background. */
export function on(tone: Tone | undefined, ground: Ground | undefined): Tone {
  const base = (tone ?? 'plain').split('@')[0] as BaseTone;
  return ground === undefined ? (tone ?? 'plain') : `${base}@${ground}`;
}

/** Tones without a colour of their own on the selected row: grey on its background is hard to read. */
const PLAIN_WHERE_SELECTED: ReadonlySet<BaseTone> = new Set(['muted', 'faint']);

/** Returns a look on a ground: a ground of one style for all texts keeps only their weight. */
function lookOn(ground: Look, look: Look): Look {
  // A badge has a background of its own.
  if (look.backgroundColor !== undefined || (look.inverse === true && look.color !== undefined)) return look;
  if (ground.inverse === true) return look.bold === true ? { ...ground, bold: true } : ground;
  return { ...ground, ...look, ...(ground.dimColor === undefined ? {} : { dimColor: ground.dimColor }) };
}

function build(looks: Readonly<Record<BaseTone, Look>>, grounds: Readonly<Record<Ground, Look>>): Theme {
  const theme: Partial<Record<Tone, Look>> = { ...looks };
  for (const tone of BASE_TONES) {
    for (const ground of ['selected', 'marked'] as const) {
      const look = ground === 'selected' && PLAIN_WHERE_SELECTED.has(tone) ? {} : looks[tone];
      theme[`${tone}@${ground}`] = lookOn(grounds[ground], look);
    }
  }
  return theme as Theme;
}

/** Builds a theme of a palette. `wash` names the colours behind rows, `at` all others, in Ink's notation. */
function coloured(palette: Palette, at: (hex: string) => string, wash: (hex: string) => string): Theme {
  const fg = (hex: string, more: Look = {}): Look => ({ color: at(hex), ...more });
  const badge = (hex: string): Look => ({ color: at(palette.onBadge), backgroundColor: at(hex), bold: true });
  return build(
    {
      plain: {},
      muted: fg(palette.muted),
      faint: fg(palette.faint),
      strong: { bold: true },
      title: fg(palette.accent, { bold: true }),
      key: fg(palette.key),
      accent: fg(palette.accent),
      here: fg(palette.accent),
      good: fg(palette.good),
      notice: fg(palette.notice),
      warning: fg(palette.warning),
      bad: fg(palette.bad),
      worst: fg(palette.bad, { bold: true }),
      number: fg(palette.number),
      address: fg(palette.address),
      path: fg(palette.path),
      quoted: fg(palette.quoted),
      hit: { color: at(palette.onHit), backgroundColor: at(palette.hit) },
      selected: { backgroundColor: wash(palette.selected), bold: true },
      caret: { inverse: true },
      // Scanners expect dark on light, on every background.
      code: { color: at('#ffffff'), backgroundColor: at('#000000') },
      badge: { color: at(palette.onBadge), backgroundColor: at(palette.muted) },
      badgeRed: badge(palette.bad),
      badgeYellow: badge(palette.warning),
      badgeGreen: badge(palette.good),
      badgeBlue: badge(palette.accent),
    },
    {
      selected: { backgroundColor: wash(palette.selected), dimColor: false },
      marked: { backgroundColor: wash(palette.marked), dimColor: false },
    },
  );
}

/** The terminal's own sixteen colours fit any background, because the user chose both. */
const TERMINAL_LOOKS = Object.fromEntries(
  BASE_TONES.map((tone) => [tone, { ...WEIGHTS[tone], ...SIXTEEN[tone] }]),
) as Record<BaseTone, Look>;

/** A look in the bright variant of its colour, for the dark ground of the selection. */
const brightened = ({ color, ...look }: Look): Look =>
  color === undefined || color.endsWith('Bright') || look.inverse === true
    ? { ...look, ...(color === undefined ? {} : { color }) }
    : { ...look, color: `${color}Bright` };

const TERMINAL: Theme = {
  ...build(TERMINAL_LOOKS, { selected: {}, marked: { underline: true } }),
  ...(Object.fromEntries(
    BASE_TONES.map((tone) => [
      `${tone}@selected`,
      lookOn(SELECTED_SIXTEEN, PLAIN_WHERE_SELECTED.has(tone) ? {} : brightened(TERMINAL_LOOKS[tone])),
    ]),
  ) as Partial<Theme>),
};

// https://no-color.org: no colours; weight and inversion stay.
const NONE: Theme = build(WEIGHTS, { selected: { inverse: true }, marked: { underline: true } });

// For screen readers, the terminal's cursor follows these two styles, which no other tone has.
const AT_CURSOR: Look = { inverse: true, bold: true, underline: true };
const SPOKEN: Theme = build(
  { ...WEIGHTS, caret: { inverse: true, underline: true }, here: AT_CURSOR, selected: AT_CURSOR },
  { selected: AT_CURSOR, marked: {} },
);

// The 6x6x6 cube and the greys of the 256 colours.
const STEPS = [0, 95, 135, 175, 215, 255];
const nearest = (value: number): number =>
  STEPS.reduce(
    (best, step, index) => (Math.abs(step - value) < Math.abs((STEPS[best] ?? 0) - value) ? index : best),
    0,
  );

/** Returns the nearest of the 256 colours, in Ink's notation. */
export function toPalette256(hex: string): string {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  const grey = Math.max(0, Math.min(23, Math.round(((r + g + b) / 3 - 8) / 10)));
  const cube = [r, g, b].map(nearest);
  const off = (values: readonly number[]): number =>
    (values[0] ?? 0) ** 2 + (values[1] ?? 0) ** 2 + (values[2] ?? 0) ** 2;
  const byGrey = off([r, g, b].map((value) => value - (8 + 10 * grey)));
  const byCube = off([r, g, b].map((value, index) => value - (STEPS[cube[index] ?? 0] ?? 0)));
  const [cr = 0, cg = 0, cb = 0] = cube;
  return `ansi256(${byGrey < byCube ? 232 + grey : 16 + 36 * cr + 6 * cg + cb})`;
}

/** Returns the theme to use. `auto` without a known background uses the terminal's own colours. */
export function themeFor(options: {
  readonly color: boolean;
  readonly screenReader?: boolean;
  readonly name?: string;
  /** Palettes of the user's theme files, by name. */
  readonly palettes?: ReadonlyMap<string, Palette>;
  readonly depth?: Depth;
  readonly background?: 'dark' | 'light' | undefined;
}): Theme {
  const { color, screenReader = false, name = 'auto', palettes, depth = 16, background } = options;
  if (screenReader) return SPOKEN;
  if (!color || name === 'none') return NONE;
  const chosen = name === 'auto' ? (background ?? 'terminal') : name;
  if (chosen === 'terminal' || depth === 16) return TERMINAL;
  const own = palettes?.get(chosen);
  const exact = depth === 'true' ? (hex: string) => hex : toPalette256;
  if (own !== undefined) return coloured(own, exact, exact);
  // The code of a true colour is half as long again, and one of the 256 looks the same for thin strokes of text.
  return coloured(chosen === 'light' ? LIGHT : DARK, toPalette256, exact);
}

const LEVEL_TONES: readonly BaseTone[] = [
  'badgeRed', // STDERR
  'badgeRed', // EMERG
  'badgeRed', // ALERT
  'worst', // CRIT
  'bad', // ERROR
  'warning', // WARN
  'notice', // NOTICE
  'muted', // INFO
  'faint', // DEBUG
];

/** Tone of an error-log level. The level's name is always shown beside it. */
export const levelTone = (level: number): BaseTone => LEVEL_TONES[level] ?? 'plain';

const LEVEL_GLYPHS = ['✖', '✖', '◉', '▣', '■', '▲', '□', '·', '·'];

/** Glyph of a level, one column wide, so that levels differ without colours. No state and no message has it. */
export const levelGlyph = (level: number): string => LEVEL_GLYPHS[level] ?? '·';
