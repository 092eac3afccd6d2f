import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { ascii } from '../text/ascii.ts';
import { type Depth, levelGlyph, levelTone, on, themeFor } from './theme.ts';

const DEPTHS: readonly Depth[] = [16, 256, 'true'];

describe('the selected row', () => {
  it.each(nonEmpty(DEPTHS))('keeps the colours of the levels with %s colours, on a dark ground', (depth) => {
    const theme = themeFor({ color: true, depth, name: depth === 16 ? 'terminal' : 'dark' });
    const [error, warning, plain] = [theme['bad@selected'], theme['warning@selected'], theme['plain@selected']];
    for (const look of [error, warning, plain]) {
      expect(look.inverse).toBeUndefined();
      expect(look.backgroundColor).toBe(theme['plain@selected'].backgroundColor);
      expect(look.backgroundColor).toBeDefined();
    }
    expect(new Set([error.color, warning.color, plain.color]).size).toBe(3);
  });

  it('names the colour of its text in sixteen colours, because the ground fits no other', () => {
    const theme = themeFor({ color: true, depth: 16 });
    for (const tone of ['plain', 'muted', 'strong', 'bad', 'number'] as const) {
      expect(theme[on(tone, 'selected')]).toMatchObject({ color: expect.stringMatching(/Bright$/) });
    }
  });

  it('is inverted without colours, and keeps the weight of the worst levels', () => {
    const theme = themeFor({ color: false });
    expect(theme['plain@selected']).toEqual({ inverse: true });
    expect(theme['bad@selected']).toEqual({ inverse: true, bold: true });
  });
});

describe('the levels', () => {
  it('from EMERG to NOTICE each have a glyph of their own, also in ASCII', () => {
    const glyphs = [1, 2, 3, 4, 5, 6].map(levelGlyph);
    expect(new Set(glyphs).size).toBe(6);
    expect(new Set(glyphs.map(ascii)).size).toBe(6);
  });

  it('ALERT, CRIT and ERROR differ in their style, in colours and without', () => {
    for (const color of [true, false]) {
      const theme = themeFor({ color });
      const looks = [2, 3, 4].map((level) => JSON.stringify([levelGlyph(level), theme[levelTone(level)]]));
      expect(new Set(looks).size).toBe(3);
    }
  });
});
