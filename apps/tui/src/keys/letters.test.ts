import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { bindingsOf, KEYMAP, PLACES, type Place } from './keymap.ts';
import { LETTERS, letterOf } from './letters.ts';

const lists = (Object.keys(PLACES) as Place[]).filter((place) =>
  (PLACES[place].scopes as readonly string[]).includes('list'),
);

/** The keys of a place that are characters, without the numbers of the screens, each with its command. */
const lettersOf = (place: Place): string[][] =>
  [...bindingsOf(place), ...bindingsOf('app')].flatMap(([command, { keys }]) =>
    keys.flatMap((key) => {
      const [first = ''] = key.split(' ');
      return first.length === 1 && !/^[1-9]$/.test(first) ? [[first, command]] : [];
    }),
  );

describe('the letters', () => {
  it.each(nonEmpty(lists))('have one meaning on %s', (place) => {
    const wrong = lettersOf(place).filter(([key = '', command = '']) => !letterOf(key)?.commands.test(command));
    expect(wrong).toEqual([]);
  });

  it('are said once', () => {
    const texts = Object.values(LETTERS).map(({ text }) => text);
    expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);
  });

  it('are those of docs/reference/dashboard.md', () => {
    const page = readFileSync(new URL('../../../../docs/reference/dashboard.md', import.meta.url), 'utf8');
    const section = /\n## Letters\n([\s\S]*?)\n## /.exec(page)?.[1] ?? '';
    const rows = [...section.matchAll(/^\| `(\S+)` +\| (.*?) +\|$/gm)].map(([, key = '', text]) => [
      key.replace('\\', ''),
      text,
    ]);
    expect(rows.sort()).toEqual(
      Object.entries(LETTERS)
        .map(([key, { text }]) => [key, text])
        .sort(),
    );
  });

  it('offer every screen with a number in the menu of g too', () => {
    const numbered = Object.entries(KEYMAP.app).filter(([, { keys }]) => /^[1-9]$/.test(keys[0] ?? ''));
    expect(numbered.length).toBeGreaterThan(6);
    for (const [name, { keys }] of numbered) expect(keys as readonly string[], name).toContain(`g ${keys[0]}`);
  });
});
