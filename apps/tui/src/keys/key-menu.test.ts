import { describe, expect, it } from 'vitest';
import { lineWidth } from '../theme/lines.ts';
import type { Bound } from './bound-commands.ts';
import { menuEntries, menuLines } from './key-menu.ts';
import { bindingsOf, type Place } from './keymap.ts';

const bound = (places: readonly Place[]): Bound[] =>
  places.flatMap((place) => bindingsOf(place, {}).map(([command, binding]) => ({ place, command, binding })));
const text = (lines: ReturnType<typeof menuLines>): string[] =>
  lines.map((line) => line.map((run) => run.text).join(''));

describe('the menu of a prefix', () => {
  it.each([
    [80, 21],
    [60, 15],
    [40, 8],
    [200, 50],
  ])('fits %i columns and %i rows with every key', (width, height) => {
    const reach = { bound: bound(['agents', 'app']), unavailable: [] };
    for (const prefix of ['g', 'b', 'y', ']']) {
      const lines = menuLines({ prefix }, reach, width, height);
      expect(lines.length).toBeLessThanOrEqual(height);
      for (const line of lines) expect(lineWidth(line)).toBe(width);
      const shown = text(lines).join('\n');
      for (const { key } of menuEntries(prefix, reach)) expect(shown).toContain(` ${key} `);
    }
  });

  it('is empty where nothing may follow', () => {
    expect(menuLines({ prefix: 'g' }, { bound: [], unavailable: [] }, 80, 20)).toEqual([]);
  });
});
