// Colours of the tones. Plain text has the terminal's own colour.
import type { Look } from '../terminal/index.ts';

/** Colours for one kind of background, as `#rrggbb`. */
export interface Palette {
  readonly muted: string;
  readonly faint: string;
  readonly accent: string;
  readonly key: string;
  readonly good: string;
  readonly notice: string;
  readonly warning: string;
  readonly bad: string;
  readonly hit: string;
  readonly onHit: string;
  readonly onBadge: string;
  readonly selected: string;
  readonly marked: string;
  /** Parts of messages. */
  readonly number: string;
  readonly address: string;
  readonly path: string;
  readonly quoted: string;
}

/** For dark backgrounds. */
export const DARK: Palette = {
  muted: '#8b95a1',
  faint: '#5b6470',
  accent: '#6cb6ff',
  key: '#7ee0d2',
  good: '#7bd88f',
  notice: '#82aaff',
  warning: '#e5b567',
  bad: '#ff7b72',
  hit: '#e5b567',
  onHit: '#12161c',
  onBadge: '#12161c',
  selected: '#243b57',
  marked: '#3b3421',
  number: '#c3a6ff',
  address: '#6cb6ff',
  path: '#7ee0d2',
  quoted: '#a3c49a',
};

/** For light backgrounds. */
export const LIGHT: Palette = {
  muted: '#59636e',
  faint: '#818b98',
  accent: '#0860ca',
  key: '#0b6b74',
  good: '#1a7f37',
  notice: '#3d5fc4',
  warning: '#8a5a00',
  bad: '#c6202c',
  hit: '#ffd566',
  onHit: '#1f2328',
  onBadge: '#ffffff',
  selected: '#cfe2ff',
  marked: '#fff1c2',
  number: '#7a3fc0',
  address: '#0860ca',
  path: '#0b6b74',
  quoted: '#4d6b2f',
};

/** Names of the terminal's own colours, by tone. */
export const SIXTEEN: Readonly<Record<string, Look>> = {
  title: { color: 'cyan', bold: true },
  key: { color: 'cyan' },
  accent: { color: 'cyan' },
  here: { color: 'cyan' },
  good: { color: 'green' },
  notice: { color: 'cyan' },
  warning: { color: 'yellow' },
  bad: { color: 'red' },
  worst: { color: 'red', bold: true },
  number: { color: 'magenta' },
  address: { color: 'cyan' },
  path: { color: 'cyan' },
  quoted: { color: 'green' },
  code: { color: 'whiteBright', backgroundColor: 'black' },
  badgeRed: { color: 'red', inverse: true, bold: true },
  badgeYellow: { color: 'yellow', inverse: true, bold: true },
  badgeGreen: { color: 'green', inverse: true, bold: true },
  badgeBlue: { color: 'blue', inverse: true, bold: true },
};

/**
 * The selected row in sixteen colours: bright colours on the dark grey of the terminal, whatever its background is.
 * Text without a colour of its own is white.
 */
export const SELECTED_SIXTEEN: Look = { color: 'whiteBright', backgroundColor: 'blackBright' };
