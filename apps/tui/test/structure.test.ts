// Rules of this package that no compiler checks.
import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../src/', import.meta.url));
const sources = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((file) => file.isFile() && /\.tsx?$/.test(file.name) && !file.name.includes('.test.'))
  .map((file) => {
    const path = `${file.parentPath}/${file.name}`;
    return { name: relative(root, path), text: readFileSync(path, 'utf8') };
  });
const filesWith = (pattern: RegExp): string[] =>
  sources
    .filter(({ text }) => pattern.test(text))
    .map(({ name }) => name)
    .sort();

describe('the structure', () => {
  it('has one way for text to the screen', () => {
    // The second file draws only the marks of regions.
    expect(filesWith(/import \{[^}]*\bText\b[^}]*\} from 'ink'/)).toEqual([
      'components/text.tsx',
      'terminal/painted-rows.tsx',
    ]);
  });

  it('has standard output for itself where it is started by a script: what builds it first says so elsewhere', () => {
    const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
    const { start, tui, agent }: Record<string, string> = JSON.parse(manifest).scripts;
    for (const script of [start, tui, agent]) expect(script).toMatch(/^node scripts\/build-program\.ts \w+ && exec /);
  });

  it('has one reader of keys', () => {
    expect(filesWith(/\buse(Input|Paste)\b/)).toEqual([]);
    expect(filesWith(/\breadKeys\(/)).toEqual([
      'keys/use-commands.ts',
      'terminal/input/reader.ts',
      'terminal/real-terminal.ts',
    ]);
  });

  it('has one writer of the terminal', () => {
    expect(filesWith(/stdout\.write\(/).filter((name) => !/^program\.ts$|print/.test(name))).toEqual([
      'terminal/real-terminal.ts',
    ]);
  });

  it('has one reader of the environment', () => {
    expect(filesWith(/process\.env/)).toEqual(['start/config.ts']);
  });

  it('has one file that ends the process', () => {
    expect(filesWith(/process\.exit\b/)).toEqual(['main.ts']);
  });

  it('has one file that looks at the size of the terminal', () => {
    expect(filesWith(/\buseWindowSize\b/)).toEqual(['dashboard/app.tsx']);
  });

  it('has screens that do not import each other', () => {
    const others = sources.flatMap(({ name, text }) => {
      const [, noun = ''] = /^screens\/([^/]+)\//.exec(name) ?? [];
      const rooms =
        noun === '' ? [] : [...text.matchAll(/'\.\.\/([\w-]+)\/[^']+\.tsx?'/g)].map(([, room = '']) => room);
      return rooms.filter((room) => room !== 'list' && room !== 'shared').map((room) => `${name} -> ${room}`);
    });
    expect(others).toEqual([]);
  });

  it('has small files', () => {
    for (const { name, text } of sources) expect(text.split('\n').length, name).toBeLessThan(300);
  });
});
