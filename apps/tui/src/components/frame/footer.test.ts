import { describe, expect, it } from 'vitest';
import type { Bound } from '../../keys/keyboard.ts';
import { bindingsOf, type Place } from '../../keys/keymap.ts';
import { hintsThatFit } from './footer.tsx';

const bound = (...places: Place[]): Bound[] =>
  places.flatMap((place) => bindingsOf(place).map(([command, binding]) => ({ place, command, binding })));
const text = (width: number, ...places: Place[]): string =>
  hintsThatFit(bound(...places), width)
    .map(({ key, hint }) => `${key} ${hint}`)
    .join('  ');

describe('the footer', () => {
  it('shows each bound command and each key once', () => {
    expect(text(200, 'apiTokens', 'app', 'root')).toBe(
      'Enter choose  Esc close  / filter  x facets  a add  e edit  D delete…  Tab pane  s sort  ' +
        "Ctrl-p find  : command  b narrow  y copy  ' views  @ time  g go to  ? help  q quit",
    );
  });

  it('keeps the hint of the help and never gets too long', () => {
    for (let width = 8; width < 100; width += 1) {
      const shown = text(width, 'errlog', 'app', 'root');
      expect(shown).toContain('? help');
      if (width >= 20) expect(shown).toContain('g go to');
      expect(shown.length).toBeLessThanOrEqual(width);
    }
  });
});
