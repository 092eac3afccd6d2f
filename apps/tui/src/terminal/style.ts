// Styles of cells, as small numbers. Only colours, weight, underline and inversion can reach the terminal; sequences
// that hide text, blink or link cannot.
// biome-ignore-all lint/suspicious/noControlCharactersInRegex: it is about control sequences
import chalk, { type ColorName, colorNames } from 'chalk';
import type { Look } from './look.ts';

/** Number of a style; 0 is the terminal's default. */
export type StyleId = number;

/** The terminal's default style. */
export const DEFAULT_STYLE: StyleId = 0;

interface Style {
  /** Codes of the active attributes, ascending. */
  readonly attributes: readonly number[];
  /** SGR parameters of the colours; empty for the default. */
  readonly foreground: string;
  readonly background: string;
}

/** Maximum number of styles; more than any theme has. Further styles are shown as the default. */
const STYLES_MAX = 4_096;
/** Codes that end attributes. Conceal (8) and blinking (5, 6) are left out on purpose. */
const ATTRIBUTE_ENDS: Readonly<Record<number, number>> = { 1: 22, 2: 22, 3: 23, 4: 24, 7: 27, 9: 29 };

const styles: Style[] = [{ attributes: [], foreground: '', background: '' }];
const ids = new Map<string, StyleId>([[keyOf(styles[0] as Style), DEFAULT_STYLE]]);

function keyOf({ attributes, foreground, background }: Style): string {
  return `${attributes.join(',')}|${foreground}|${background}`;
}

function idOf(style: Style): StyleId {
  const key = keyOf(style);
  const known = ids.get(key);
  if (known !== undefined) return known;
  if (styles.length >= STYLES_MAX) return DEFAULT_STYLE;
  styles.push(style);
  ids.set(key, styles.length - 1);
  return styles.length - 1;
}

const styleOf = (id: StyleId): Style => styles[id] ?? (styles[DEFAULT_STYLE] as Style);

/** Returns an extended colour, `5;n` or `2;r;g;b`, at the beginning of the parameters. */
function extendedColor(parameters: readonly number[]): number[] {
  if (parameters[0] === 5) return parameters.slice(0, 2);
  return parameters[0] === 2 ? parameters.slice(0, 4) : [];
}

function withAttribute(attributes: readonly number[], code: number): number[] {
  return attributes.includes(code) ? [...attributes] : [...attributes, code].sort((a, b) => a - b);
}

function applyOne(style: Style, code: number): Style {
  const { attributes } = style;
  if (code === 0) return styles[DEFAULT_STYLE] as Style;
  if (code in ATTRIBUTE_ENDS) return { ...style, attributes: withAttribute(attributes, code) };
  if (code >= 22 && code <= 29) {
    return { ...style, attributes: attributes.filter((attribute) => ATTRIBUTE_ENDS[attribute] !== code) };
  }
  if (code === 39) return { ...style, foreground: '' };
  if (code === 49) return { ...style, background: '' };
  if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) return { ...style, foreground: String(code) };
  if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) return { ...style, background: String(code) };
  return style;
}

const applied = new Map<string, StyleId>();

/** Returns the style after an SGR sequence, given its parameters. */
export function applySgr(id: StyleId, sgr: string): StyleId {
  const key = `${id};${sgr}`;
  const known = applied.get(key);
  if (known !== undefined) return known;
  let style = styleOf(id);
  const codes = sgr.split(';').map((code) => Number(code) || 0);
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0;
    if (code === 38 || code === 48) {
      const color = extendedColor(codes.slice(index + 1));
      index += color.length;
      const set = [code, ...color].join(';');
      if (color.length > 0) style = { ...style, [code === 38 ? 'foreground' : 'background']: set };
    } else {
      style = applyOne(style, code);
    }
  }
  const result = idOf(style);
  if (applied.size < STYLES_MAX) applied.set(key, result);
  return result;
}

/** Returns the background of a style. */
export function groundOf(id: StyleId): StyleId {
  const { background } = styleOf(id);
  return background === '' ? DEFAULT_STYLE : idOf({ attributes: [], foreground: '', background });
}

/** Attributes that show on a blank: underline, inversion and strike-through. */
const SEEN_ON_BLANKS: ReadonlySet<number> = new Set([4, 7, 9]);

const blankStyles: StyleId[] = [];

/** Returns the part of a style that shows on a blank. */
export function styleOfBlank(id: StyleId): StyleId {
  const known = blankStyles[id];
  if (known !== undefined) return known;
  const style = styleOf(id);
  const attributes = style.attributes.filter((attribute) => SEEN_ON_BLANKS.has(attribute));
  // Inversion shows the colour of the text, with its weight, and an underline has that colour.
  const shown = attributes.length === 0 ? idOf({ ...style, attributes: [], foreground: '' }) : id;
  blankStyles[id] = shown;
  return shown;
}

/** Puts a style over another one, whose background shows where the first has none. */
export function blendBackground(id: StyleId, ground: StyleId): StyleId {
  const { background } = styleOf(ground);
  const style = styleOf(id);
  return background === '' || style.background !== '' ? id : idOf({ ...style, background });
}

/** Returns the sequence that changes from one style to another; empty if they are equal. */
export function transition(from: StyleId, to: StyleId): string {
  if (from === to) return '';
  if (to === DEFAULT_STYLE) return '\u001B[m';
  const key = from * STYLES_MAX + to;
  const known = transitions.get(key);
  if (known !== undefined) return known;
  const sequence = makeTransition(styleOf(from), styleOf(to));
  if (transitions.size < STYLES_MAX) transitions.set(key, sequence);
  return sequence;
}

const transitions = new Map<number, string>();

function makeTransition(from: Style, to: Style): string {
  const whole = [to.foreground, to.background].filter((code) => code !== '');
  const fromDefault = [0, ...to.attributes, ...whole].join(';');
  // Ending one attribute may end another (22 ends bold and dim), so all are set again.
  if (from.attributes.some((attribute) => !to.attributes.includes(attribute))) return `\u001B[${fromDefault}m`;
  const changes = [
    ...to.attributes.filter((attribute) => !from.attributes.includes(attribute)),
    ...(to.foreground === from.foreground ? [] : [to.foreground || '39']),
    ...(to.background === from.background ? [] : [to.background || '49']),
  ].join(';');
  return `\u001B[${changes.length < fromDefault.length ? changes : fromDefault}m`;
}

const lookStyles = new WeakMap<Look, StyleId>();

/** Returns the style of a look: exactly the sequences that Ink would send, because both use chalk. */
export function styleOfLook(look: Look): StyleId {
  const known = lookStyles.get(look);
  if (known !== undefined) return known;
  const painted = paintedBy(look);
  let id = DEFAULT_STYLE;
  for (const [, sgr = ''] of painted.slice(0, painted.indexOf(PROBE)).matchAll(SGR)) id = applySgr(id, sgr);
  lookStyles.set(look, id);
  return id;
}

const PROBE = 'x';
const SGR = /\u001B\[([\d;]*)m/g;

function paintedBy({ color, backgroundColor, bold, dimColor, inverse, underline }: Look): string {
  let text = PROBE;
  if (dimColor === true) text = chalk.dim(text);
  if (color !== undefined) text = colored(text, color, 'color');
  if (backgroundColor !== undefined) text = colored(text, backgroundColor, 'background');
  if (bold === true) text = chalk.bold(text);
  if (underline === true) text = chalk.underline(text);
  if (inverse === true) text = chalk.inverse(text);
  return text;
}

/** Colours in Ink's notation: a name, `#rrggbb` or `ansi256(n)`. */
function colored(text: string, color: string, what: 'color' | 'background'): string {
  const isColor = what === 'color';
  if (color.startsWith('#')) return isColor ? chalk.hex(color)(text) : chalk.bgHex(color)(text);
  if (color.startsWith('ansi256(')) {
    const index = Number(/\((\d+)\)/.exec(color)?.[1] ?? 0);
    return isColor ? chalk.ansi256(index)(text) : chalk.bgAnsi256(index)(text);
  }
  const name = isColor ? color : `bg${color.slice(0, 1).toUpperCase()}${color.slice(1)}`;
  return isNamed(name) ? chalk[name](text) : text;
}

const isNamed = (name: string): name is ColorName => (colorNames as readonly string[]).includes(name);
