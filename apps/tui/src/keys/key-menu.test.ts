import { describe, expect, it } from 'vitest';
import { lineWidth } from '../text/lines.ts';
import type { Bound, Unavailable } from './bound-commands.ts';
import { menuEntries, menuLines } from './key-menu.ts';
import { bindingsOf, type Place, type Rebound } from './keymap.ts';

const bound = (places: readonly Place[], rebound: Rebound = {}): Bound[] =>
  places.flatMap((place) => bindingsOf(place, rebound).map(([command, binding]) => ({ place, command, binding })));
const text = (lines: ReturnType<typeof menuLines>): string[] =>
  lines.map((line) => line.map((run) => run.text).join(''));

describe('the menu of a prefix', () => {
  it('names what may follow, without the words that its title says', () => {
    const entries = menuEntries('g', { bound: bound(['errlog', 'app']), unavailable: [] });
    expect(entries).toContainEqual({ key: '3', text: 'Agents', reason: null });
    expect(entries).toContainEqual({ key: 'g', text: 'First row', reason: null });
    expect(entries).toContainEqual({ key: 'e', text: 'Enrolment', reason: null });
  });

  it('names what cannot run now below the others, a row for each reason', () => {
    const commands = bound(['app']);
    const isRefused = ({ command }: Bound): boolean => ['goUsers', 'goAudit'].includes(command);
    const unavailable = commands
      .filter(isRefused)
      .map((one): Unavailable => ({ ...one, reason: 'Needs the role master.' }));
    const lines = menuLines({ prefix: 'g' }, { bound: commands.filter((one) => !isRefused(one)), unavailable }, 80, 20);
    const last = lines.at(-2) ?? [];
    expect(text([last])).toEqual([`│ ${'5 Users, 6 Audit log: Needs the role master.'.padEnd(76)} │`]);
    expect(last.find((run) => run.text.includes('Users'))?.tone).toBe('faint');
    expect(text(lines.slice(0, -2)).join()).not.toContain('Audit');
  });

  it('shows the keys of the settings', () => {
    const reach = {
      bound: bound(['errlog'], { 'errlog.bySource': ['b S'], 'errlog.byLevel': ['f6'] }),
      unavailable: [],
    };
    const keys = menuEntries('b', reach).map(({ key }) => key);
    expect(keys).toContain('S');
    expect(keys).not.toContain('s');
    expect(keys).not.toContain('l');
  });

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
