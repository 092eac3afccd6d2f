// Rows of the dialog that shows a QR code: the code at the left, its key at the right. Pure.

import { clean } from '@quarterdeck/views/text';
import { encode } from 'uqr';
import { wrap } from '../../text/width.ts';
import { beside, type Line, lineWidth } from '../../theme/lines.ts';
import type { Area } from '../geometry.ts';
import type { Drawing } from '../text.tsx';

/** Light modules around the code; scanners need at least one. */
const BORDER = 1;
/** Columns between the code and the text. */
const GAP = 2;
/** Columns of the text: at least two groups of the key, at most a comfortable line. */
const TEXT_MIN = 9;
const TEXT_MAX = 50;

/** Parameters of an `otpauth://` URI that state the default of every authenticator app. */
const DEFAULTS: ReadonlySet<string> = new Set(['algorithm=SHA1', 'digits=6', 'period=30']);

export interface ScanText {
  /** The key as the user may type it. */
  readonly secret: string;
  readonly uri: string;
  /** Names the keys that copy and continue. */
  readonly hint: string;
}

interface ScanArea extends Area {
  readonly drawing: Drawing;
}

/** Upper and lower module of a cell -> its glyph. Light modules are drawn, dark ones are the background. */
const HALVES = { '11': '█', '10': '▀', '01': '▄', '00': ' ' } as const;

/** Leaves out the parameters of a URI that `isOptional` accepts. */
function withoutParameters(uri: string, isOptional: (parameter: string) => boolean): string {
  const [label = '', query = ''] = uri.split('?');
  const kept = query.split('&').filter((parameter) => !isOptional(parameter));
  return `${label}?${kept.join('&')}`;
}

/** The URI, and shorter ones with the same meaning. The label names the issuer too. */
const formsOf = (uri: string): string[] => [
  uri,
  withoutParameters(uri, (parameter) => DEFAULTS.has(parameter)),
  withoutParameters(uri, (parameter) => DEFAULTS.has(parameter) || parameter.startsWith('issuer=')),
];

/** Draws a code with the lowest correction, which is the smallest; two modules in a cell. */
export function codeRows(uri: string): string[] {
  const { data, size } = encode(uri, { ecc: 'L', boostEcc: false, border: BORDER });
  const isLight = (row: number, column: number): '0' | '1' => (data[row]?.[column] === true ? '0' : '1');
  return Array.from({ length: Math.ceil(size / 2) }, (_, row) =>
    Array.from({ length: size }, (__, column) => {
      // The row below an odd number of modules belongs to the border.
      const halves = `${isLight(2 * row, column)}${isLight(2 * row + 1, column)}` as const;
      return HALVES[halves];
    }).join(''),
  );
}

/** The key in groups of four, which people can read and compare. */
export const groupedKey = (secret: string): string => (secret.match(/.{1,4}/gu) ?? []).join(' ');

/** The reason why there is no code, by the drawing. */
const PROBLEMS: Readonly<Record<Drawing, string>> = {
  glyphs: 'The window is too small for the QR code. Enlarge it, or use the key.',
  ascii: 'A QR code needs block glyphs, and the dashboard draws with ASCII only.',
  words: 'A QR code cannot be read aloud.',
};

function textLines({ secret, uri, hint }: ScanText, width: number, problem: string | null): Line[] {
  const wrapped = (text: string, tone: 'plain' | 'muted' | 'strong' | 'title' | 'warning'): Line[] =>
    wrap(clean(text), width).map((row) => [{ text: row, tone }]);
  return [
    ...(problem === null
      ? wrapped('Scan the code with your authenticator app.', 'title')
      : wrapped(problem, 'warning')),
    [],
    ...wrapped(problem === null ? 'Or enter this key:' : 'Enter this key in your authenticator app:', 'plain'),
    ...wrapped(groupedKey(secret), 'strong'),
    [],
    ...wrapped(uri, 'muted'),
    [],
    ...wrapped(hint, 'muted'),
  ];
}

/** The rendered dialog. */
interface Scan {
  readonly lines: readonly Line[];
  readonly columns: number;
}

/** Renders the dialog in at most the given area. Without room for the code, a sentence says so. */
export function scanLines(text: ScanText, { width, height, drawing }: ScanArea): Scan {
  const forms = drawing === 'glyphs' ? formsOf(text.uri) : [];
  for (const form of forms) {
    const code = codeRows(form).map((row): Line => [{ text: row, tone: 'code' }]);
    const codeWidth = lineWidth(code[0] ?? []);
    const textWidth = Math.min(TEXT_MAX, width - codeWidth - GAP);
    if (textWidth < TEXT_MIN) continue;
    const lines = beside(
      [
        { lines: code, width: codeWidth },
        { lines: textLines(text, textWidth, null), width: textWidth },
      ],
      GAP,
    );
    if (lines.length <= height) return { lines, columns: codeWidth + GAP + textWidth };
  }
  const columns = Math.min(TEXT_MAX, width);
  return { lines: textLines(text, columns, PROBLEMS[drawing]), columns };
}
