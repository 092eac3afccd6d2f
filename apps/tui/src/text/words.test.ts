import { describe, expect, it } from 'vitest';
import { words } from './words.ts';

describe('words', () => {
  it.each([
    ['▌ 12:00  ● ERROR', '> 12:00    ERROR'],
    [' • ▲ WARN ⣿⠀', ' *   WARN   '],
    ['╭─ Title ─╮', '   Title   '],
    ['text – as it is › ↑ …', 'text – as it is › ↑ …'],
  ])('of %s', (drawn, said) => {
    expect(words(drawn)).toBe(said);
    expect(said).toHaveLength(drawn.length);
  });
});
