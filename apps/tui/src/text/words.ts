// For whoever listens to the screen: frames, charts and glyphs say nothing there, and words stand beside each of them.
// One column for one column, so that everything is where it was.

/** Boxes, blocks, shapes, braille, and what we mark with. */
const DRAWN = /[\u2500-\u25FF\u2800-\u28FF•✓✗✖]/g;

/** What has a meaning that no word beside it tells: what is selected, what is marked. */
const SIGNS: Readonly<Record<string, string>> = { '▌': '>', '•': '*' };

/** The text without what is only drawn. */
export const words = (text: string): string => text.replaceAll(DRAWN, (glyph) => SIGNS[glyph] ?? ' ');
