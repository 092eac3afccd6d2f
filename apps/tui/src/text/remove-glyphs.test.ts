import { describe, expect, it } from 'vitest';
import { removeGlyphs } from './remove-glyphs.ts';

describe('removeGlyphs', () => {
  it.each([
    ['▌ 12:00  ■ ERROR', '> 12:00    ERROR'],
    [' • ▲ WARN ⣿⠀', ' *   WARN   '],
    ['╭─ Title ─╮', '   Title   '],
    ['text – as it is › ↑ … · ★', 'text - as it is , ↑ . , #'],
  ])('of %s', (drawn, said) => {
    expect(removeGlyphs(drawn)).toBe(said);
    expect(said).toHaveLength(drawn.length);
  });
});
