// What charts are drawn with in this terminal.
import type { Settings } from '../settings/settings.ts';
import type { ChartGlyphs } from './charts/alphabet.ts';

/** The alphabets of charts that are one row high, and of those that are higher. */
export interface Glyphs {
  readonly spark: ChartGlyphs;
  readonly chart: ChartGlyphs;
}

/** The alphabets that were chosen; one row is too low for two dots side by side. */
export function glyphsOf({ ascii, charts }: Pick<Settings, 'ascii' | 'charts'>): Glyphs {
  const chart = ascii ? 'ascii' : charts;
  return { spark: chart === 'braille' ? 'block' : chart, chart };
}
