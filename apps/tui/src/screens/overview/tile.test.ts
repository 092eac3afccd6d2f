import { describe, expect, it } from 'vitest';
import { lineWidth } from '../../theme/lines.ts';
import { type Tile, tileLines } from './tile.ts';

describe('a tile', () => {
  it('keeps its frame around a title that is too long', () => {
    const tile: Tile = {
      id: 'a',
      title: 'Most frequent · Nov 22 14:00 – 16:00',
      stale: false,
      rows: 0,
      lines: () => [],
    };
    const [head = []] = tileLines(tile, 30, 3, false);
    const text = head.map((run) => run.text).join('');
    expect(text).toBe('╭─ Most frequent · Nov 22 … ─╮');
    expect(lineWidth(head)).toBe(30);
  });
});
