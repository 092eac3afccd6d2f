import type { Binding } from '@quarterdeck/views/keys';
import { keyName } from '@quarterdeck/views/keys';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { bindingsOf, KEYMAP, PLACES, type Place } from './keymap.ts';

const places = Object.keys(PLACES) as Place[];
// Places that hear keys at the same time: a screen with `app`, and `root` with every place.
const together: [string, Place[]][] = places.map((place) => [
  place,
  PLACES[place].rank === 'screen' && place !== 'app' ? [place, 'app', 'root'] : [...new Set<Place>([place, 'root'])],
]);

describe('the keymap', () => {
  it.each(nonEmpty(together))('binds no key twice where %s hears', (_, heard) => {
    const keys = heard.flatMap((place) =>
      bindingsOf(place).flatMap(([, { keys: bound, yields }]) => (yields ? [] : bound)),
    );
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  });

  it.each(nonEmpty(together))('binds no key of %s that begins a sequence there', (_, heard) => {
    const keys = heard.flatMap((place) => bindingsOf(place).flatMap(([, { keys: bound }]) => bound));
    expect(keys.filter((key) => keys.some((other) => other.startsWith(`${key} `)))).toEqual([]);
  });

  it.each(nonEmpty(together))('names no command of %s twice', (_, heard) => {
    const names = heard.flatMap((place) => bindingsOf(place).map(([name]) => name));
    expect(new Set(names).size).toBe(names.length);
  });

  it('has every scope in a place', () => {
    const used = new Set<string>(places.flatMap((place) => [...PLACES[place].scopes]));
    expect(Object.keys(KEYMAP).filter((scope) => !used.has(scope))).toEqual([]);
  });

  it('has no word twice where it can be typed', () => {
    for (const [, heard] of together) {
      const words = heard.flatMap((place) => bindingsOf(place).flatMap(([, { word }]) => word ?? []));
      expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
    }
  });

  it('applies the keys of the settings', () => {
    const rebound = bindingsOf('errlog', { 'errlog.follow': ['ctrl+g'] });
    expect(rebound.find(([name]) => name === 'follow')?.[1].keys).toEqual(['ctrl+g']);
    expect(rebound.find(([name]) => name === 'pause')?.[1].keys).toEqual(['=']);
  });

  it('describes every command', () => {
    for (const place of places) {
      for (const [name, { keys, help, word }] of bindingsOf(place)) {
        expect(keys.length > 0 || word !== undefined, name).toBe(true);
        expect(help, name).toMatch(/^[A-Z].*[^.]$/);
      }
    }
  });

  it('binds no destructive command to a small letter', () => {
    const destroying = /^(remove|purge|cancel|bulk|end|endOthers|endSessions|resetSecondFactor|clear)$/;
    const found = Object.values(KEYMAP).flatMap((scope) =>
      Object.entries<Binding>(scope).filter(([name]) => destroying.test(name)),
    );
    expect(found.length).toBeGreaterThan(6);
    for (const [name, { keys }] of found)
      expect(
        keys.filter((key) => /^[a-z]$/.test(key)),
        name,
      ).toEqual([]);
  });

  it.each([
    ['ctrl+d', 'Ctrl-d'],
    ['g g', 'g g'],
    ['escape', 'Esc'],
    ['shift+tab', 'Shift-Tab'],
    ['?', '?'],
    ['down', '↓'],
    ['+', '+'],
    ['f2', 'F2'],
  ])('writes %s as %s', (key, name) => {
    expect(keyName(key)).toBe(name);
  });
});
