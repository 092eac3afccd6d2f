// Chart glyphs of this terminal.
import type { ChartName } from '../settings/settings.ts';
import type { ChartGlyphs } from './charts/alphabet.ts';

/** Glyphs of charts of one row, and of higher charts. */
export interface Glyphs {
  readonly spark: ChartGlyphs;
  readonly chart: ChartGlyphs;
}

/** Returns the chosen glyphs. One row is too low for braille. */
export function glyphsOf({ ascii, charts }: { readonly ascii: boolean; readonly charts: ChartName }): Glyphs {
  const chart = ascii ? 'ascii' : charts;
  return { spark: chart === 'braille' ? 'block' : chart, chart };
}
