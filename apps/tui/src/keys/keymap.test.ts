import { describe, expect, it } from 'vitest';
import { bindingsOf, KEYMAP, keyName, PLACES, type Place } from './keymap.ts';

const places = Object.keys(PLACES) as Place[];
// What is heard at the same time: a screen with `app`; and `root` with everything.
const together: [string, Place[]][] = places.map((place) => [
  place,
  PLACES[place].rank === 'screen' && place !== 'app' ? [place, 'app', 'root'] : [...new Set<Place>([place, 'root'])],
]);

describe('the keymap', () => {
  it.each(together)('binds no key twice where %s hears', (_, heard) => {
    const keys = heard.flatMap((place) => bindingsOf(place).flatMap(([, { keys: bound }]) => bound));
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  });

  it.each(together)('binds no key of %s that begins a sequence there', (_, heard) => {
    const keys = heard.flatMap((place) => bindingsOf(place).flatMap(([, { keys: bound }]) => bound));
    expect(keys.filter((key) => keys.some((other) => other.startsWith(`${key} `)))).toEqual([]);
  });

  it.each(together)('names no command of %s twice', (_, heard) => {
    const names = heard.flatMap((place) => bindingsOf(place).map(([name]) => name));
    expect(new Set(names).size).toBe(names.length);
  });

  it('has every scope in a place', () => {
    const used = new Set<string>(places.flatMap((place) => [...PLACES[place].scopes]));
    expect(Object.keys(KEYMAP).filter((scope) => !used.has(scope))).toEqual([]);
  });

  it('says of every command what it does', () => {
    for (const place of places) {
      for (const [name, { keys, help }] of bindingsOf(place)) {
        expect(keys.length, name).toBeGreaterThan(0);
        expect(help, name).toMatch(/^[A-Z].*[^.]$/);
      }
    }
  });

  it('lets no small letter destroy anything', () => {
    for (const [name, { keys }] of Object.entries(KEYMAP.apiTokens)) {
      if (name === 'remove') expect(keys.filter((key) => /^[a-z]$/.test(key))).toEqual([]);
    }
  });

  it.each([
    ['ctrl+d', 'Ctrl-d'],
    ['g g', 'g g'],
    ['escape', 'Esc'],
    ['shift+tab', 'Shift-Tab'],
    ['?', '?'],
    ['down', '↓'],
  ])('writes %s as %s', (key, name) => {
    expect(keyName(key)).toBe(name);
  });
});
