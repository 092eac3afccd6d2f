// Removes drawings for screen readers: words beside them say the same. Each becomes a blank, so that columns stay.

/** Boxes, blocks, shapes, braille, and marks. Arrows stay: readers say them. */
const DRAWN = /[\u2500-\u25FF\u2800-\u28FF•★✓✗✖↺…·›‹»–]/g;

/** Glyphs without a word beside them: selected, marked, a bookmark, and signs between words. */
const SIGNS: Readonly<Record<string, string>> = {
  '▌': '>',
  '•': '*',
  '★': '#',
  '…': '.',
  '·': ',',
  '›': ',',
  '»': ',',
  '–': '-',
};

export const removeGlyphs = (text: string): string => text.replaceAll(DRAWN, (glyph) => SIGNS[glyph] ?? ' ');
