import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ascii } from './ascii.ts';

const SOURCES = join(import.meta.dirname, '..');

it('replaces every glyph of the sources by one column of ASCII', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.tsx?$/.test(name) && !name.includes('.test.') && !name.startsWith('demo'),
  );
  const glyphs = files.flatMap((name) => {
    const code = readFileSync(join(SOURCES, name), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*|\s\/\/ .*/gm, '');
    return code.match(/[^\0-\x7f]/gu) ?? [];
  });
  const missing = [...new Set(glyphs)].filter((glyph) => !/^[\x20-\x7e]$/.test(ascii(glyph)));
  expect(missing).toEqual([]);
});

it('replaces visible control characters, and leaves other text', () => {
  expect(ascii('␛[2J größe 你')).toBe('?[2J größe 你');
});
