import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ascii } from './ascii.ts';

/** The dashboard, and the words that it shares with other front ends. */
const SOURCES = ['..', '../../../../packages/views/src'].map((folder) => join(import.meta.dirname, folder));

it('replaces every glyph of the sources by one column of ASCII', () => {
  const files = SOURCES.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.') && !name.startsWith('demo'))
      .map((name) => join(folder, name)),
  );
  const glyphs = files.flatMap((name) => {
    const code = readFileSync(name, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*|\s\/\/ .*/gm, '');
    return code.match(/[^\0-\x7f]/gu) ?? [];
  });
  const missing = [...new Set(glyphs)].filter((glyph) => !/^[\x20-\x7e]$/.test(ascii(glyph)));
  expect(missing).toEqual([]);
});

it('replaces visible control characters, and leaves other text', () => {
  expect(ascii('␛[2J größe 你')).toBe('?[2J größe 你');
});
