// Chart glyphs of this terminal.

/** Glyphs of charts to choose from. */
export const CHARTS = ['braille', 'block', 'ascii'] as const;

/**
 * `braille`: two values in a column, four steps in a row. `block`: one value, eight steps. `ascii`: one value, by
 * weight.
 */
export type ChartGlyphs = (typeof CHARTS)[number];

/** Glyphs of charts of one row, and of higher charts. */
export interface Glyphs {
  readonly spark: ChartGlyphs;
  readonly chart: ChartGlyphs;
}

/** Returns the chosen glyphs. One row is too low for braille. */
export function glyphsOf({ ascii, charts }: { readonly ascii: boolean; readonly charts: ChartGlyphs }): Glyphs {
  const chart = ascii ? 'ascii' : charts;
  return { spark: chart === 'braille' ? 'block' : chart, chart };
}
