// A thread that reads bodies is ended where its heap is large, and loads its modules again for the next body. The
// schemas alone would make the heap that large.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = new URL('../../', import.meta.url).pathname;
const READER = 'apps/server/src/features/errlog/intake/body-reader.worker.ts';

/** Imports and exports of values from other modules. */
const IMPORT = /^(?:import|export) (?!type\b)([^;]*?)\bfrom '([^']+)';/gm;

/** The file of an import: of this repository by its source, of other packages by their name. */
function fileOf(name: string, from: string): string {
  if (name.startsWith('.')) return join(dirname(from), name);
  const [, folder, rest] = /^@quarterdeck\/(\w+)(.*)$/.exec(name) ?? [];
  if (folder === undefined) return name;
  const { exports } = createRequire(import.meta.url)(`${ROOT}packages/${folder}/package.json`);
  return join(`packages/${folder}`, exports[`.${rest}`]['@quarterdeck/source']);
}

/** The files and packages that a file loads, with itself. */
function loadedBy(file: string, known = new Set<string>()): Set<string> {
  if (known.has(file)) return known;
  known.add(file);
  if (!file.endsWith('.ts')) return known;
  for (const [, names = '', name = ''] of readFileSync(ROOT + file, 'utf8').matchAll(IMPORT)) {
    const areTypes = /^\{.*\}/s.test(names) && !/[{,]\s*(?!type\b)\w/.test(names);
    if (!areTypes) loadedBy(fileOf(name, file), known);
  }
  return known;
}

it('loads no schemas into the thread that reads bodies', () => {
  const loaded = [...loadedBy(READER)];
  expect(loaded).toContain('packages/intake/src/http/otlp.ts');
  expect(loaded).not.toContain('zod');
});
