// Any front end can bundle this package. The two configurations of the compiler prove the same of global names: one has
// those of Node, the other those of browsers.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../src/', import.meta.url));
const sources = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((file) => file.isFile() && /\.tsx?$/.test(file.name) && !file.name.includes('.test.'))
  .map((file) => {
    const path = join(file.parentPath, file.name);
    return { name: relative(root, path), text: readFileSync(path, 'utf8') };
  });

/** The packages that a file loads. Imports of types load nothing. */
const loaded = (text: string): string[] =>
  [...text.matchAll(/^(?:import|export) (?!type )(?:[^;']*? from )?'([^.'][^']*)'|\bimport\('([^.'][^']*)'\)/gm)].map(
    ([, whole = '', lazy = '']) => whole || lazy,
  );

/** The modules that a page may load: `@quarterdeck/core` itself would bring the schemas. */
const ALLOWED = [
  '@quarterdeck/core/errlog-match',
  '@quarterdeck/core/filter',
  '@quarterdeck/core/message-parts',
  '@quarterdeck/core/plain',
  '@quarterdeck/sdk',
];

describe('the views', () => {
  it('load nothing of a terminal, of Node or of a browser, and React for hooks alone', () => {
    expect(sources.length).toBeGreaterThan(20);
    for (const { name, text } of sources) {
      const allowed = name.startsWith('react/') ? [...ALLOWED, 'react'] : ALLOWED;
      expect(
        loaded(text).filter((module) => !allowed.includes(module)),
        name,
      ).toEqual([]);
    }
  });

  it('have small files', () => {
    for (const { name, text } of sources) expect(text.split('\n').length, name).toBeLessThan(300);
  });
});
